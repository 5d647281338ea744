// Server is a workload for tests: it answers every request with its VERSION, and with 404 on /healthz while the file
// in BROKEN exists or BROKEN is "yes". On SIGTERM it serves DRAIN longer (a duration), then ends.
//
// With the argument "get" and a URL it is a client instead: it prints the answer and ends, 0 for a 2xx. The token and
// authority of the pod's ServiceAccount are used where there are any.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

func main() {
	if len(os.Args) == 3 && os.Args[1] == "get" {
		if err := get(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	serve()
}

func get(url string) error {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	settings := &tls.Config{}
	if authority, err := os.ReadFile(account + "ca.crt"); err == nil {
		settings.RootCAs = x509.NewCertPool()
		settings.RootCAs.AppendCertsFromPEM(authority)
	}
	if token, err := os.ReadFile(account + "token"); err == nil {
		request.Header.Set("Authorization", "Bearer "+string(token))
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: settings}, Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}

func serve() {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(answer, os.Getenv("VERSION"))
	})
	http.HandleFunc("/healthz", func(answer http.ResponseWriter, request *http.Request) {
		broken := os.Getenv("BROKEN")
		if _, err := os.Stat(broken); err == nil || broken == "yes" {
			http.NotFound(answer, request)
		}
	})
	server := http.Server{Addr: ":8080"}
	ended := make(chan struct{})
	go func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
		<-signals
		drain, _ := time.ParseDuration(os.Getenv("DRAIN"))
		time.Sleep(drain)
		server.Shutdown(context.Background())
		close(ended)
	}()
	fmt.Println("serving version", os.Getenv("VERSION"))
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	<-ended
}

"""The API server of a cluster: the only package that imports the Kubernetes client and urllib3."""

module cluster.test/static

go 1.26

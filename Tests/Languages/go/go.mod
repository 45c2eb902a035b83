module example.com/model

go 1.19

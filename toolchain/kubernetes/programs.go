//go:build programs

// Package programs names what is built, so that `go mod tidy` keeps what it needs.
package programs

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

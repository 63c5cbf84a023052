// Reads Grafana dashboards by Grafana's own schema: a field that it doesn't know, or a value that it doesn't take, is a
// fault.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func faultOf(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	var board dashboard.Dashboard
	for _, err := range []error{board.UnmarshalJSONStrict(text), board.Validate()} {
		// What the schema finds is a list, which is no nil when it is empty.
		if err != nil && err.Error() != "" {
			return err.Error()
		}
	}
	return ""
}

func main() {
	plugins.RegisterDefaultPlugins()
	status := 0
	for _, file := range os.Args[1:] {
		if fault := faultOf(file); fault != "" {
			fmt.Printf("%s: %s\n", file, fault)
			status = 1
		}
	}
	os.Exit(status)
}

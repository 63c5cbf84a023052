// Runs the controllers of Kubernetes that a chart's objects need, with the kubeconfig that its argument names. They are
// those of kube-controller-manager, without those of volumes, nodes and clouds, which take most of its build.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

const workers = 2

func must[T any](value T, err error) T {
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	return value
}

type cluster struct {
	config *rest.Config
	client *kubernetes.Clientset
	shared informers.SharedInformerFactory
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func (c cluster) runApps(ctx context.Context) {
	apps, core, policy := c.shared.Apps().V1(), c.shared.Core().V1(), c.shared.Policy().V1()
	sets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), c.client, replicaset.BurstReplicas)
	deployments := must(deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), c.client))
	resolver := scale.NewDiscoveryScaleKindResolver(c.client.Discovery())
	scales := must(scale.NewForConfig(c.config, c.mapper, dynamic.LegacyAPIPathResolverFunc, resolver))
	budgets := disruption.NewDisruptionController(ctx, core.Pods(), policy.PodDisruptionBudgets(), core.ReplicationControllers(),
		apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), c.client, c.mapper, scales, c.client.Discovery())
	slices := endpointslice.NewController(ctx, core.Pods(), core.Services(), core.Nodes(),
		c.shared.Discovery().V1().EndpointSlices(), 100, c.client, 0)
	go sets.Run(ctx, workers)
	go deployments.Run(ctx, workers)
	go budgets.Run(ctx, workers)
	go slices.Run(ctx, workers)
}

func (c cluster) runGarbageCollector(ctx context.Context, started chan struct{}) metadatainformer.SharedInformerFactory {
	client := must(metadata.NewForConfig(c.config))
	all := metadatainformer.NewSharedInformerFactory(client, 0)
	collector := must(garbagecollector.NewGarbageCollector(ctx, c.client, client, c.mapper,
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(c.shared, all), started))
	go collector.Run(ctx, workers, 30*time.Second)
	go collector.Sync(ctx, must(discovery.NewDiscoveryClientForConfig(c.config)), 5*time.Second)
	return all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.QPS, config.Burst = 100, 200
	client := must(kubernetes.NewForConfig(config))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	go wait.Until(mapper.Reset, 5*time.Second, ctx.Done())
	c := cluster{config, client, informers.NewSharedInformerFactory(client, 0), mapper}
	started := make(chan struct{})
	c.runApps(ctx)
	all := c.runGarbageCollector(ctx, started)
	c.shared.Start(ctx.Done())
	all.Start(ctx.Done())
	close(started)
	<-ctx.Done()
}

"""handoff: moves a Kubernetes component from one version to the next without a gap."""

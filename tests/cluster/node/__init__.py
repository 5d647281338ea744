"""A real node beside the control plane: containerd, kubelet and kube-proxy, hence real pods.

The node has its own mount, process and network namespaces. So two nodes on one machine do not see one another, the
host's kernel settings stay as they are, and when the node's first process ends, however it ends, its pods, mounts,
network devices and packet filter rules end with it.
"""

"""The controllers of Flux and of Argo CD as plain processes beside a test cluster, and a Git server for both.

They are the released programs, built from their published modules; what they deliver is `manifests/flux` and
`manifests/argocd`, and the hook runs in real pods.
"""

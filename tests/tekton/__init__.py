"""The Tekton operator's set reconciler, as far as a handoff meets it: a process beside a real API server.

It does to TektonInstallerSets what the operator does to them, what is odd about it included: what it never repairs,
whom it never asks, what wakes it and what does not. Each such rule names where in the operator it comes from, as
`operator: file:function` (of tektoncd/operator, in pkg/reconciler/kubernetes/tektoninstallerset unless it says so).
Not played: proxy settings of workloads, the operator's own two webhook configurations, leader election, Events.
"""

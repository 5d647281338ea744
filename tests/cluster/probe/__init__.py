"""Shows whether a resource was ever absent: watches and reads it all the time, from a process of its own."""

from tests.cluster.probe.process import Probe, ProbeError
from tests.cluster.probe.report import ProbeReport, ResourceReport
from tests.cluster.probe.targets import Target, targets_of

__all__ = ["Probe", "ProbeError", "ProbeReport", "ResourceReport", "Target", "targets_of"]

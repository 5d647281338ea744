"""TektonInstallerSets: the Tekton operator keeps what they list, and a run orders the handoff between them."""

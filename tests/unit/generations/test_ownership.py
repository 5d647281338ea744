from __future__ import annotations

from typing import Any

import pytest

from hook.generations.ownership import Claim, Verdict, is_kubectl, judge, must_agree
from hook.generations.sharing import saying_share
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, config_map, entry

THEIRS = "handoff:ops:other"
HELM = {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"}


def marked(obj: Object, manager: str = OURS, **owners: str) -> Object:
    labels = {f"owner.installersets.io/{component}": namespace for component, namespace in owners.items()}
    return applied({**obj, "metadata": {**obj["metadata"], "labels": labels}}, manager)


def verdict(live: Object | None, desired: Object | None = None, **options: Any) -> Verdict:
    return judge(desired or config_map({"a": "1"}), live, "web", "ops", **options)


def test_what_does_not_exist_is_absent() -> None:
    assert verdict(None).claim is Claim.ABSENT


def test_our_mark_makes_it_ours_whatever_else_it_carries() -> None:
    live = marked(config_map(), web="ops")
    live["metadata"]["annotations"] = HELM
    assert verdict(live).claim is Claim.OURS


def test_a_component_of_our_name_in_another_namespace_is_refused_always() -> None:
    found = verdict(marked(config_map(), web="elsewhere"), adopt=True, share=["ConfigMap/conf"])
    assert found.claim is Claim.REFUSED
    assert found.why == "it belongs to the component web in namespace elsewhere"


class TestUnmarked:
    def test_without_a_sign_of_an_owner_it_is_adopted_with_kubectls_fields(self) -> None:
        found = verdict(applied(config_map(), "kubectl-client-side-apply"))
        assert found.claim is Claim.ADOPT
        assert found.takes(entry({}, "kubectl-client-side-apply", "Update"))
        assert not found.takes(entry({}, "helm", "Update"))

    def test_another_owner_is_named_with_the_way_out(self) -> None:
        live = applied(config_map(), "helm")
        live["metadata"]["annotations"] = HELM
        found = verdict(live)
        assert found.claim is Claim.REFUSED
        assert found.why == "it belongs to the Helm release shop/web"
        assert "--adopt" in found.way_out

    def test_adopting_from_an_owner_takes_its_managers_too(self) -> None:
        live = applied(config_map(), "helm")
        live["metadata"]["annotations"] = HELM
        found = verdict(live, adopt=True)
        assert found.claim is Claim.ADOPT
        assert found.takes(entry({}, "helm", "Update"))
        assert found.takes(entry({}, "kubectl-edit", "Update"))
        assert not found.takes(entry({}, "kube-controller-manager", "Update"))

    def test_only_adopting_takes_anything_over(self) -> None:
        assert not Verdict(Claim.OURS).takes(entry({}, "kubectl", "Apply"))


class TestOtherComponents:
    @pytest.mark.parametrize("kind", ["Namespace", "CustomResourceDefinition"])
    def test_containers_of_others_objects_are_shared(self, kind: str) -> None:
        group = {"Namespace": "v1", "CustomResourceDefinition": "apiextensions.k8s.io/v1"}[kind]
        desired = {"apiVersion": group, "kind": kind, "metadata": {"name": "shop"}}
        found = verdict(marked(desired, THEIRS, other="ops"), desired)
        assert (found.claim, found.others) == (Claim.SHARED, (THEIRS,))
        assert not must_agree(desired, found)

    def test_with_our_mark_beside_theirs_it_is_ours_and_they_are_known(self) -> None:
        desired = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        found = verdict(marked(desired, THEIRS, other="ops", web="ops"), desired)
        assert (found.claim, found.others) == (Claim.OURS, (THEIRS,))

    def test_in_a_shared_namespace_their_values_stay(self) -> None:
        desired: Object = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "shop", "labels": {"team": "a"}},
        }
        live = marked(desired, THEIRS, other="ops")
        live["metadata"]["labels"]["team"] = "b"
        live["metadata"]["managedFields"] = [entry({"f:metadata": {"f:labels": {"f:team": {}}}}, THEIRS)]
        found = verdict(live, desired)
        assert found.desired(desired, live)["metadata"]["labels"] == {}
        assert found.kept(desired, live) == ("metadata.labels.team",)

    def test_other_kinds_are_refused_unless_both_say_share(self) -> None:
        desired, share = config_map({"a": "1"}), ["ConfigMap/conf"]
        silent = marked(desired, THEIRS, other="ops")
        saying = marked(saying_share(desired, share), THEIRS, other="ops")
        assert verdict(silent).claim is Claim.REFUSED
        assert verdict(silent, share=share).way_out.endswith("so far this does not: other in namespace ops")
        assert verdict(saying).way_out.endswith("so far this does not: web in namespace ops")
        assert verdict(saying, share=share).claim is Claim.SHARED

    def test_sharing_holds_only_while_both_say_so(self) -> None:
        both = marked(config_map({"a": "1"}), THEIRS, other="ops", web="ops")
        assert verdict(both).claim is Claim.REFUSED

    def test_shared_by_consent_means_that_no_field_may_differ(self) -> None:
        desired = config_map({"a": "1"})
        live = marked(saying_share(desired, ["ConfigMap/conf"]), THEIRS, other="ops")
        assert must_agree(desired, verdict(live, share=["ConfigMap/conf"]))

    def test_lists_with_defaults_can_never_be_shared(self) -> None:
        desired = {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": "conf", "namespace": "shop", "annotations": {"installersets.io/share": "allowed"}},
        }
        found = verdict(marked(desired, THEIRS, other="ops"), desired, share=["NetworkPolicy/conf"])
        assert found.claim is Claim.REFUSED
        assert "cannot be shared" in found.why


@pytest.mark.parametrize(
    ("manager", "more", "is_configuration"),
    [
        ("kubectl", {}, True),
        ("kubectl-client-side-apply", {}, True),
        ("kubectl-edit", {}, True),
        ("before-first-apply", {}, True),
        ("kubectl-rollout", {}, False),  # restarting is an act: its annotation must not be taken back
        ("kubectl", {"subresource": "scale"}, False),
        ("kubectlish", {}, False),
        ("helm", {}, False),
    ],
)
def test_what_counts_as_a_persons_configuration(manager: str, more: dict[str, str], is_configuration: bool) -> None:
    assert is_kubectl(entry({}, manager, "Update", **more)) is is_configuration


def test_a_copy_that_somebody_restored_is_ours_and_its_writers_fields_are_taken_over() -> None:
    found = verdict(marked(config_map(), "backup", web="ops"))
    assert found.claim is Claim.OURS
    assert found.takes(applied(marked(config_map(), web="ops"), "backup")["metadata"]["managedFields"][0])
    assert not found.takes(entry({"f:data": {"f:a": {}}}, "somebody-else", "Update"))


def test_what_carries_our_mark_by_our_own_hand_is_no_copy() -> None:
    assert not verdict(marked(config_map(), web="ops")).restored

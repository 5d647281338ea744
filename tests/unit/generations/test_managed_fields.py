from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.generations.managed_fields import (
    applied_fields,
    in_version,
    shared_with,
    take_over,
    uncovered,
    without,
)
from tests.unit.generations.live_objects import NOW, OURS, applied, config_map, deployment, entry, fields_of

KUBECTL = entry({"f:data": {"f:b": {}}}, "kubectl-edit", "Update")

values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.text(max_size=3), st.integers(-5, 5), st.booleans(), st.just({}), st.just([])),
    lambda below: st.one_of(
        st.dictionaries(st.sampled_from("abcde"), below, max_size=4), st.lists(st.integers(0, 3), max_size=3)
    ),
    max_leaves=10,
)
bodies = st.dictionaries(st.sampled_from(["spec", "data", "extra"]), values, max_size=3)


def custom(body: dict[str, Any], api_version: str = "v1") -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": "Thing", "metadata": {"name": "x"}, **body}


class TestUncovered:
    @given(bodies)
    def test_nothing_where_the_entry_was_made_from_the_very_object(self, body: dict[str, Any]) -> None:
        obj = custom(body)
        assert uncovered(fields_of(obj), obj) == []

    @given(bodies)
    def test_a_leaf_of_the_manifest_that_the_entry_lost_is_named(self, body: dict[str, Any]) -> None:
        obj = custom({**body, "lost": {"leaf": 1}})
        fields = fields_of(obj)
        del fields["f:lost"]
        assert uncovered(fields, obj) == ["lost.leaf"]

    def test_a_deployment_as_it_was_applied_is_covered(self) -> None:
        obj = deployment()
        assert uncovered(fields_of(obj), obj) == []

    def test_a_field_inside_a_merged_list_that_somebody_took(self) -> None:
        obj = deployment()
        fields = fields_of(obj)
        containers = fields["f:spec"]["f:template"]["f:spec"]["f:containers"]
        del containers['k:{"name":"shop"}']["f:image"]
        assert uncovered(fields, obj) == ["spec.template.spec.containers[shop].image"]

    def test_an_item_of_a_merged_list_that_somebody_removed(self) -> None:
        obj = deployment()
        fields = fields_of(obj)
        del fields["f:spec"]["f:template"]["f:spec"]["f:volumes"]
        assert uncovered(fields, obj) == [
            "spec.template.spec.volumes[tmp].name",
            "spec.template.spec.volumes[tmp].emptyDir",
        ]

    def test_a_member_of_a_set_that_somebody_removed(self) -> None:
        obj = custom({})
        obj["metadata"]["finalizers"] = ["example.org/a", "example.org/b"]
        fields: dict[str, Any] = {"f:metadata": {"f:finalizers": {'v:"example.org/a"': {}}}}
        assert uncovered(fields, obj) == ["metadata.finalizers[example.org/b]"]

    def test_an_atomic_list_is_covered_as_a_whole(self) -> None:
        assert uncovered({"f:spec": {"f:args": {}}}, custom({"spec": {"args": ["a", {"b": 1}]}})) == []

    def test_an_empty_map_needs_an_owner(self) -> None:
        obj = custom({"spec": {"emptyDir": {}}})
        assert uncovered({"f:spec": {"f:emptyDir": {}}}, obj) == []
        assert uncovered({"f:spec": {"f:other": {}}}, obj) == ["spec.emptyDir"]

    def test_an_empty_list_that_leaves_no_trace_is_covered(self) -> None:
        assert uncovered({"f:spec": {"f:a": {}}}, custom({"spec": {"a": 1, "env": []}})) == []

    def test_an_empty_list_of_a_custom_resource_needs_an_owner(self) -> None:
        """There the list is stored even when it is empty, so somebody may have removed it."""
        obj = custom({"spec": {"a": 1, "env": []}}, "example.org/v1")
        assert uncovered({"f:spec": {"f:a": {}}}, obj) == ["spec.env"]
        assert uncovered({"f:spec": {"f:a": {}, "f:env": {}}}, obj) == []

    def test_an_empty_list_that_somebody_else_owns_as_a_whole_is_not(self) -> None:
        """NetworkPolicy with `ingress: []`, to which somebody added a rule."""
        other = entry({"f:spec": {"f:ingress": {}}}, "kubectl-edit", "Update")
        obj = custom({"spec": {"a": 1, "ingress": []}})
        assert uncovered({"f:spec": {"f:a": {}}}, obj, [other]) == ["spec.ingress"]

    def test_an_empty_merged_list_that_somebody_else_filled_is_covered(self) -> None:
        """Applying an empty list that is merged by key takes nothing away, so sending it again would not help."""
        other = entry({"f:spec": {"f:env": {".": {}, 'k:{"name":"a"}': {}}}}, "kubectl-edit", "Update")
        assert uncovered({"f:spec": {"f:a": {}}}, custom({"spec": {"a": 1, "env": []}}), [other]) == []

    def test_what_no_manager_ever_owns_is_not_asked_for(self) -> None:
        obj = config_map()
        obj["metadata"] |= {"uid": "u-1", "resourceVersion": "7"}
        assert uncovered({}, obj) == []

    def test_a_bare_rest_of_a_free_form_map_does_not_cover_its_content(self) -> None:
        """In a custom resource's map of any content, the map's own field stays when its keys are removed."""
        obj = custom({"spec": {"conf": {"level": "info"}}}, "example.org/v1")
        assert uncovered({"f:spec": {"f:conf": {}}}, obj) == ["spec.conf.level"]

    def test_an_atomic_selector_of_a_custom_resource_is_covered(self) -> None:
        obj = custom(
            {"spec": {"selector": {"matchLabels": {"a": "b"}}, "ref": {"name": "x", "key": "y"}}}, "example.org/v1"
        )
        assert uncovered({"f:spec": {"f:selector": {}, "f:ref": {}}}, obj) == []


class TestAppliedFields:
    def test_of_the_managers_apply_entry(self) -> None:
        live = applied(config_map({"a": "1"}), OURS, KUBECTL)
        assert applied_fields(live["metadata"], OURS) == {"f:metadata": {}, "f:data": {"f:a": {}}}

    @pytest.mark.parametrize("more", [{"operation": "Update"}, {"subresource": "status"}])
    def test_neither_updates_nor_subresources_count(self, more: dict[str, str]) -> None:
        assert applied_fields({"managedFields": [{**entry({"f:data": {}}), **more}]}, OURS) is None

    def test_none_without_managed_fields(self) -> None:
        assert applied_fields({}, OURS) is None


class TestTakeOver:
    def test_merges_the_chosen_entries_into_ours_and_leaves_the_others(self) -> None:
        other = entry({"f:data": {"f:c": {}}}, "hpa", "Update")
        result = take_over(
            [entry({"f:data": {"f:a": {}}}), KUBECTL, other], OURS, lambda one: one["manager"] == "kubectl-edit", NOW
        )
        assert result == [entry({"f:data": {"f:a": {}, "f:b": {}}}), other]

    def test_makes_our_entry_where_there_is_none(self) -> None:
        result = take_over([KUBECTL], OURS, lambda one: True, NOW)
        assert result == [entry({"f:data": {"f:b": {}}})]

    def test_never_takes_a_subresource(self) -> None:
        """`kubectl scale` writes replicas by a subresource: no configuration of the manifest's."""
        scale = entry({"f:spec": {"f:replicas": {}}}, "kubectl", "Update", subresource="scale")
        assert take_over([scale], OURS, lambda one: True, NOW) == [scale]

    def test_leaves_owner_references_to_whoever_wrote_them(self) -> None:
        """Our next apply lacks them, and would take them from the object."""
        references = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"u-1"}': {}}}}
        theirs = entry({**references, "f:data": {"f:a": {}}}, "kubectl", "Update")
        ours, left = take_over([theirs], OURS, lambda one: True, NOW)
        assert ours["fieldsV1"] == {"f:metadata": {}, "f:data": {"f:a": {}}}
        assert (left["manager"], left["fieldsV1"]) == ("kubectl", references)

    def test_nothing_taken_changes_nothing(self) -> None:
        entries = [entry({"f:data": {"f:a": {}}}, time="2020-01-01T00:00:00Z"), KUBECTL]
        assert take_over(entries, OURS, lambda one: False, NOW) == entries

    def test_keeps_the_version_that_the_paths_are_of(self) -> None:
        old = entry({"f:spec": {}}, "kubectl", "Update", apiVersion="autoscaling/v1")
        assert take_over([old], OURS, lambda one: True, NOW, "autoscaling/v2")[0]["apiVersion"] == "autoscaling/v1"

    def test_takes_the_manifests_version_where_the_entries_disagree(self) -> None:
        old = entry({"f:spec": {}}, "kubectl", "Update", apiVersion="autoscaling/v1")
        ours = entry({"f:spec": {}}, apiVersion="autoscaling/v2beta2")
        assert (
            take_over([ours, old], OURS, lambda one: True, NOW, "autoscaling/v2")[0]["apiVersion"] == "autoscaling/v2"
        )

    def test_leaves_its_input_alone(self) -> None:
        entries = [entry({"f:data": {"f:a": {}}}), KUBECTL]
        before = copy.deepcopy(entries)
        take_over(entries, OURS, lambda one: True, NOW)
        assert entries == before

    def test_afterwards_ours_covers_what_the_others_owned(self) -> None:
        obj = deployment()
        fields = fields_of(obj)
        theirs = {"f:spec": fields.pop("f:spec")}
        entries = [entry(fields), entry(theirs, "kubectl-client-side-apply", "Update")]
        assert uncovered(take_over(entries, OURS, lambda one: True, NOW)[0]["fieldsV1"], obj) == []


class TestWithout:
    def test_drops_all_entries_of_the_manager(self) -> None:
        assert without([entry({}), entry({}, operation="Update"), KUBECTL], OURS) == [KUBECTL]

    def test_one_empty_entry_where_nothing_is_left(self) -> None:
        assert without([entry({"f:data": {}})], OURS) == [{}]


class TestInVersion:
    def test_rewrites_the_managers_entries_of_the_group(self) -> None:
        old = entry({"f:spec": {}}, apiVersion="example.org/v1alpha1")
        other = entry({"f:spec": {}}, "them", "Update", apiVersion="example.org/v1alpha1")
        assert in_version([old, other], OURS, "example.org/v1") == [{**old, "apiVersion": "example.org/v1"}, other]

    def test_rewrites_everybodys_entries_when_no_manager_is_named(self) -> None:
        other = entry({"f:spec": {}}, "them", "Update", apiVersion="example.org/v1alpha1")
        assert in_version([other], None, "example.org/v1") == [{**other, "apiVersion": "example.org/v1"}]

    def test_unites_entries_that_become_one(self) -> None:
        old = entry({"f:spec": {"f:a": {}}}, "them", "Update", apiVersion="example.org/v1alpha1")
        new = entry({"f:spec": {"f:b": {}}}, "them", "Update", apiVersion="example.org/v1")
        assert in_version([old, new], None, "example.org/v1") == [
            {**new, "fieldsV1": {"f:spec": {"f:a": {}, "f:b": {}}}}
        ]

    def test_leaves_versions_that_are_served(self) -> None:
        old = entry({"f:spec": {}}, apiVersion="example.org/v1beta1")
        assert in_version([old], None, "example.org/v1", served=["example.org/v1beta1"]) == [old]

    def test_leaves_another_group_alone(self) -> None:
        other = entry({"f:spec": {}}, apiVersion="apps/v1")
        assert in_version([other], OURS, "example.org/v1") == [other]


def test_shared_with_names_manager_and_path() -> None:
    obj = config_map({"a": "1", "b": "2"})
    live = applied(obj, OURS, KUBECTL)
    assert shared_with(live["metadata"]["managedFields"], OURS, obj) == [("kubectl-edit", "data.b")]


def test_shared_with_counts_subresources() -> None:
    obj = deployment(replicas=3)
    scale = entry({"f:spec": {"f:replicas": {}}}, "hpa", "Update", subresource="scale")
    assert shared_with([entry(fields_of(obj)), scale], OURS, obj) == [("hpa", "spec.replicas")]

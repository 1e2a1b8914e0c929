"""docker/kubernetes.yaml, as far as it can be checked without a cluster of Kubernetes."""

from pathlib import Path
from typing import Any

import pytest
import yaml

FILE = Path(__file__).parents[2] / "docker" / "kubernetes.yaml"
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))
PODS = [each["spec"]["template"] for each in OBJECTS if "template" in each["spec"]]


def test_it_has_all_parts_of_a_cluster() -> None:
    kinds = ["Service", "StatefulSet", "Deployment", "ScaledObject", "Job", "PersistentVolumeClaim"]
    assert [each["kind"] for each in OBJECTS] == kinds


@pytest.mark.parametrize("pod", PODS, ids=lambda pod: pod["metadata"]["labels"]["app"])
def test_a_pod_is_hardened_and_has_limits(pod: dict[str, Any]) -> None:
    assert pod["spec"]["securityContext"]["runAsNonRoot"]
    (container,) = pod["spec"]["containers"]
    assert container["securityContext"] == {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
    declared = {volume["name"] for volume in pod["spec"]["volumes"]} | {"data"}
    assert {mount["name"] for mount in container["volumeMounts"]} <= declared


def test_what_refers_to_another_object_names_one_that_is_there() -> None:
    named = {(each["kind"], each["metadata"]["name"]) for each in OBJECTS}
    scaled = next(each for each in OBJECTS if each["kind"] == "ScaledObject")["spec"]
    assert ("Deployment", scaled["scaleTargetRef"]["name"]) in named
    selector = scaled["triggers"][0]["metadata"]["podSelector"]
    assert selector in {f"app={pod['metadata']['labels']['app']}" for pod in PODS}
    job = next(each for each in OBJECTS if each["kind"] == "Job")["spec"]["template"]["spec"]
    claims = {
        volume["persistentVolumeClaim"]["claimName"] for volume in job["volumes"] if "persistentVolumeClaim" in volume
    }
    assert {("PersistentVolumeClaim", claim) for claim in claims} <= named
    for pod in PODS:
        for variable in pod["spec"]["containers"][0]["env"]:
            if variable["name"] == "VOXMATRIX_CLUSTER":
                assert ("Service", variable["value"]) in named

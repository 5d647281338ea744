"""The certificates of one cluster: one authority, everything signed by it, all made in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

_SERVER_NAMES = (
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True, slots=True)
class KeyPair:
    """Two PEM files."""

    certificate: Path
    key: Path


class Certificates:
    """The files below one directory. An existing directory's authority is taken up again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.authority = KeyPair(directory / "ca.crt", directory / "ca.key")
        if self.authority.key.exists():
            self._ca = trustme.CA.from_pem(self.authority.certificate.read_bytes(), self.authority.key.read_bytes())
        else:
            self._ca = trustme.CA()
            self._ca.cert_pem.write_to_path(self.authority.certificate)
            self._ca.private_key_pem.write_to_path(self.authority.key)

    def server(self, name: str, *names: str) -> KeyPair:
        """A serving certificate for host names and addresses."""
        return self._write(name, self._ca.issue_cert(*names, common_name=name))

    def api_server(self, *addresses: str) -> KeyPair:
        """The API server's: every name under which clients on the host reach it, and the addresses for pods."""
        return self.server("kube-apiserver", *_SERVER_NAMES, *addresses)

    def client(self, user: str, group: str | None = None) -> KeyPair:
        """A client certificate: its common name is the user, its organization the group."""
        # The address has no meaning, but without any the certificate gets an extension that Go refuses.
        leaf = self._ca.issue_cert("client@cluster.test", common_name=user, organization_name=group or "none")
        return self._write(f"client-{user.replace(':', '-').replace('/', '-')}", leaf)

    def service_account_keys(self) -> KeyPair:
        """The pair that signs and verifies ServiceAccount tokens; `certificate` is the bare public key."""
        pair = KeyPair(self._directory / "service-account.pub", self._directory / "service-account.key")
        if not pair.key.exists():
            key = ec.generate_private_key(ec.SECP256R1())
            pair.key.write_bytes(
                key.private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                )
            )
            pair.certificate.write_bytes(
                key.public_key().public_bytes(
                    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
                )
            )
        return pair

    def _write(self, name: str, leaf: trustme.LeafCert) -> KeyPair:
        pair = KeyPair(self._directory / f"{name}.crt", self._directory / f"{name}.key")
        leaf.cert_chain_pems[0].write_to_path(pair.certificate)
        leaf.private_key_pem.write_to_path(pair.key)
        return pair

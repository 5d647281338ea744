# Any Python from 3.11 on Debian or Ubuntu serves as base. A release build names it by digest, here or as a build
# argument; scripts/pin_base_image.py asks the registry and writes it into this line.
ARG BASE=docker.io/library/python:3.13-slim

FROM ${BASE} AS builder
# Only where a proxy inspects the builder's connections: certificates mounted for the build, and their path.
ARG PIP_CERT
ARG SSL_CERT_FILE
WORKDIR /build
RUN python3 -m pip install --no-cache-dir --quiet --target=/build/tools uv==0.13.9
ENV UV_PROJECT_ENVIRONMENT=/opt/handoff \
    UV_PYTHON_DOWNLOADS=never \
    UV_NO_CACHE=1
# What uv.lock names and nothing else, checked by hash; in a layer of its own, since it changes seldom.
COPY pyproject.toml uv.lock ./
RUN tools/bin/uv sync --quiet --locked --no-dev --extra cel --no-install-project
COPY README.md LICENSE ./
COPY manifests/crds manifests/crds
COPY hook hook
RUN tools/bin/uv sync --quiet --locked --no-dev --extra cel --no-editable
# Nine tenths of the client are classes that are never imported: generated ones, and all of them again for asyncio.
RUN cd /opt/handoff/lib/python3*/site-packages/kubernetes \
    && rm -r aio \
    && find client/api client/models -name '*.py' ! -name __init__.py -delete
# The root file system is read-only, so nothing can be compiled later: start-up would take three times as long. Bytecode
# checked by nothing is right for files that never change.
RUN /opt/handoff/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/handoff/lib

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="handoff" \
      org.opencontainers.image.description="Moves a Kubernetes component from one version to the next without a gap" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV PATH=/opt/handoff/bin:${PATH} \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
# The official images come without the standard library's bytecode.
RUN python3 -m compileall -q --invalidation-mode unchecked-hash -x '/(tests?|idlelib|lib2to3|turtledemo|ensurepip)/' \
    "$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY --from=builder /opt/handoff /opt/handoff
# Numeric, so that `runAsNonRoot` can be checked. Nothing here belongs to this user: any other works as well.
USER 65532:65532
ENTRYPOINT ["handoff"]

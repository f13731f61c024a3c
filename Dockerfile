# The server in an image of its own; see docs/service.md.
FROM python:3.12-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY CMakeLists.txt pyproject.toml README.md LICENSE ./
COPY native native
COPY src src
RUN python -m venv /opt/addhash && /opt/addhash/bin/pip install --no-cache-dir '.[serve]'

FROM python:3.12-slim-bookworm
RUN useradd --system --uid 10001 addhash && install --directory --owner=addhash /data
COPY --from=build /opt/addhash /opt/addhash
LABEL org.opencontainers.image.title="addhash" \
      org.opencontainers.image.description="Text classifiers that learn and forget while in use" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 10001
VOLUME /data
EXPOSE 8000
ENV ADDHASH_SERVE_HOST=0.0.0.0 ADDHASH_SERVE_PORT=8000 ADDHASH_SERVE_DATA=/data
HEALTHCHECK --interval=10s --timeout=3s CMD ["/opt/addhash/bin/python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"ADDHASH_SERVE_PORT\"]}/health/ready')"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/addhash/bin/addhash", "serve"]

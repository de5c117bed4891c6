# syntax=docker/dockerfile:1
# One executable on a base with glibc and certificates, and nothing else: no shell, no user but
# nonroot. The stage that builds runs on the builder's own machine, whatever it builds for.

FROM --platform=$BUILDPLATFORM denoland/deno:2.9.6 AS build
ARG TARGETARCH
# `--otel` for an executable that exports traces and metrics.
ARG OPTIONS=""
WORKDIR /sluice
COPY deno.json deno.lock config.yaml ./
COPY scripts scripts
COPY src src
RUN case "$TARGETARCH" in amd64) name=linux-x64 ;; *) name="linux-$TARGETARCH" ;; esac \
  && deno task compile --target=$name $OPTIONS /out \
  && mv /out/sluice-$name /out/sluice && mkdir /state

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/sluice /usr/local/bin/sluice
# The folder of an SQLite store: a new volume there belongs to the user of the image.
COPY --from=build --chown=nonroot:nonroot /state /var/lib/sluice
# A container is reached from outside or not at all. The configuration: /etc/sluice/config.yaml.
ENV SLUICE_HOST=0.0.0.0
# Everything in one format on standard output.
ENV SLUICE_LOG_FORMAT=json
# The heap limit, and with it server.max_in_flight_bytes, follows the memory of the container.
ENV DENO_USE_CGROUPS=1
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/local/bin/sluice", "health"]
ENTRYPOINT ["/usr/local/bin/sluice"]

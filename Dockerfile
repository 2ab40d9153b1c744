# Kith as one small image: docker build -t kith --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends libpango1.0-dev libpng-dev libpq-dev libqrencode-dev \
        libturbojpeg0-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /kith
# The dependencies first: a layer of their own, that stays while only Kith's own code changes.
COPY Package.swift ./
RUN swift package resolve
COPY . .
# What `kith --version` says.
ARG COMMIT
RUN swift build -c release --static-swift-stdlib --product kith -Xlinker --strip-all \
    && cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/kith" /usr/local/bin/kith

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends ca-certificates fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core \
        libpangocairo-1.0-0 libpng16-16 libpq5 libqrencode4 libstdc++6 libturbojpeg0 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 10001 kith \
    && useradd --system --uid 10001 --gid kith --create-home --home-dir /var/lib/kith kith
COPY --from=build /usr/local/bin/kith /usr/local/bin/kith
# A number, so that Kubernetes can tell that it is not root.
USER 10001:10001
WORKDIR /var/lib/kith
# Beyond the container itself, only what is published is reachable. Publish 8081 to nobody but your monitoring.
ENV KITH_LISTEN=0.0.0.0:8080 KITH_OPS_LISTEN=0.0.0.0:8081
EXPOSE 8080 8081
# The image has no curl; bash opens the socket itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8081 && printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["kith"]
CMD ["serve"]

# One image for all services; a container's command says which one it runs (docker-compose.yml, ops/helm). For GPUs:
# Dockerfile.gpu. What was tried without Docker: docs/deployment.md.
FROM node:20-bookworm AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends cmake g++ make python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /roundhouse
# Packages, TritonCore and UCX first: they change seldom, so their layer is kept when only sources change.
COPY package.json package-lock.json .npmrc ./
COPY toolchain ./toolchain
COPY scripts ./scripts
RUN node scripts/setup.mjs npm triton ucx
COPY . .
RUN node scripts/setup.mjs npm triton ucx typescript native python \
  && npm prune --omit=dev --ignore-scripts \
  && cd node_modules/onnxruntime-node/bin/napi-v6 && rm -rf darwin win32 linux/arm64

FROM node:20-bookworm-slim
ENV NODE_ENV=production \
  ROUNDHOUSE_BIND_HOST=0.0.0.0 \
  ROUNDHOUSE_STATE_DIR=/var/lib/roundhouse/state \
  ROUNDHOUSE_INCIDENT_DIR=/var/lib/roundhouse/incidents \
  ROUNDHOUSE_PLAN_DIR=/var/lib/roundhouse/plans
WORKDIR /roundhouse
COPY --from=build /roundhouse/package.json /roundhouse/package-lock.json ./
COPY --from=build /roundhouse/node_modules ./node_modules
COPY --from=build /roundhouse/.roundhouse/toolchain/triton ./.roundhouse/toolchain/triton
COPY --from=build /roundhouse/.roundhouse/toolchain/ucx ./.roundhouse/toolchain/ucx
COPY --from=build /roundhouse/build/native/*.node /roundhouse/build/native/only-files ./build/native/
COPY --from=build /roundhouse/build/native/backends ./build/native/backends
COPY --from=build /roundhouse/dist ./dist
COPY --from=build /roundhouse/schemas ./schemas
COPY --from=build /roundhouse/models ./models
COPY --from=build /roundhouse/scripts/container-health.mjs ./scripts/container-health.mjs
# The only place that is written to, beside /tmp: the root file system may be read-only.
RUN install -d -o 1000 -g 1000 -m 0700 /var/lib/roundhouse /recordings
VOLUME /var/lib/roundhouse
# By number, so that Kubernetes can see that it isn't root.
USER 1000:1000
EXPOSE 8000 8001 8002 8003 8060 8070 8080 8081 8090
STOPSIGNAL SIGTERM
CMD ["node", "--enable-source-maps", "dist/services/ingest/main.js"]

# One image for the three services; docker-compose.yml says which one a container runs.
FROM node:20-bookworm AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends cmake g++ make python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /roundhouse
# Packages and TritonCore first: they change seldom, so their layer is kept when only sources change.
COPY package.json package-lock.json .npmrc ./
COPY toolchain ./toolchain
COPY scripts ./scripts
RUN node scripts/setup.mjs npm triton
COPY . .
RUN node scripts/setup.mjs npm triton typescript native python \
  && npm prune --omit=dev --ignore-scripts \
  && cd node_modules/onnxruntime-node/bin/napi-v6 && rm -rf darwin win32 linux/arm64

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /roundhouse
COPY --from=build /roundhouse/package.json /roundhouse/package-lock.json ./
COPY --from=build /roundhouse/node_modules ./node_modules
COPY --from=build /roundhouse/.roundhouse/toolchain/triton ./.roundhouse/toolchain/triton
COPY --from=build /roundhouse/build/native ./build/native
COPY --from=build /roundhouse/dist ./dist
COPY --from=build /roundhouse/schemas ./schemas
COPY --from=build /roundhouse/models ./models
COPY --from=build /roundhouse/scripts/container-health.mjs ./scripts/container-health.mjs
USER node
EXPOSE 8080 8081 8000 8001 8002 8070 8090
CMD ["node", "--enable-source-maps", "dist/services/ingest/main.js"]

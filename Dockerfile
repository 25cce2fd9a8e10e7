# The service alone: what it is built with stays behind. Both stages take one Node, by its digest:
# `docker buildx imagetools inspect node:26.10-bookworm-slim` tells that of a newer one.
FROM node:26.10-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --workspaces=false
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/copy-swagger-ui.cjs scripts/replace-dist.cjs ./scripts/
COPY src ./src
COPY clients/demo ./clients/demo
COPY clients/tlog ./clients/tlog
# Nothing that runs reads these: TypeORM for browsers, SQLite's source and its programs for other systems, declarations and source maps.
RUN npm run build:service && npm prune --omit=dev --workspaces=false && \
  rm -r node_modules/typeorm/browser node_modules/embedded-sqlite/deps node_modules/embedded-sqlite/src && \
  find node_modules/embedded-sqlite/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete && \
  find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -type f -delete && \
  find dist -name '*.map' -delete

FROM node:26.10-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
# The image's user "node", by number: Kubernetes sees that it is not root (runAsNonRoot) only in a number.
RUN mkdir data && chown 1000:1000 data
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/clients/tlog/dist ./clients/tlog/dist
COPY package.json ./
USER 1000:1000
VOLUME /app/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

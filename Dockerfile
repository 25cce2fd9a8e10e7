# The service alone: what it is built with stays behind.
FROM node:26.10-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --workspaces=false
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/copy-swagger-ui.cjs scripts/replace-dist.cjs ./scripts/
COPY src ./src
COPY clients/demo ./clients/demo
COPY clients/tlog ./clients/tlog
RUN npm run build:service && npm prune --omit=dev --workspaces=false

FROM node:26.10-bookworm-slim
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

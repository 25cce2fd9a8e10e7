-- Rights of the service (registry) and of the commands for keys (registry_keys), to be given once "registry migrate" has made
-- the tables: see docs/operations/database.md, "Users of the database". test/operations/database-users.e2e-spec.ts runs this file.
GRANT SELECT ON registry.* TO registry;
GRANT INSERT, UPDATE ON registry.asset TO registry;
GRANT INSERT, UPDATE ON registry.asset_sequence TO registry;
GRANT INSERT, DELETE ON registry.receipt TO registry;
GRANT INSERT ON registry.revision TO registry;
GRANT INSERT, UPDATE, DELETE ON registry.transfer_code TO registry;
GRANT INSERT ON registry.audit TO registry;
GRANT UPDATE (used_day) ON registry.api_key TO registry;
GRANT UPDATE ON registry.feed_clock TO registry;
GRANT UPDATE ON registry.feed_barrier TO registry;
GRANT INSERT, UPDATE, DELETE ON registry.service_lease TO registry;
GRANT INSERT, UPDATE ON registry.clock_witness TO registry;
GRANT INSERT, UPDATE ON registry.stored_bytes TO registry;
GRANT INSERT ON registry.log_entry TO registry;
GRANT INSERT ON registry.log_node TO registry;
GRANT UPDATE ON registry.log_head TO registry;
GRANT SELECT ON registry.* TO registry_keys;
GRANT INSERT, UPDATE ON registry.account TO registry_keys;
GRANT INSERT, UPDATE ON registry.api_key TO registry_keys;
GRANT UPDATE (token_digest) ON registry.asset TO registry_keys;
GRANT INSERT, UPDATE, DELETE ON registry.transfer_code TO registry_keys;
GRANT INSERT ON registry.audit TO registry_keys;
GRANT INSERT, UPDATE ON registry.clock_witness TO registry_keys;

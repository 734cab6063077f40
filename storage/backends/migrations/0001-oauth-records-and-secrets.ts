/** Records of the built-in authorization server, and the keys of the deployment. */
import type { Migration } from "../migrate.ts";

export const oauthRecordsAndSecrets: Migration = {
  version: 1,
  name: "oauth-records-and-secrets",
  async up(db) {
    await db.schema
      .createTable("oauth_records")
      .addColumn("model", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("payload", "text", (column) => column.notNull())
      .addColumn("uid", "text")
      .addColumn("grant_id", "text")
      .addColumn("expires_at_ms", "bigint")
      .addColumn("consumed_at_ms", "bigint")
      .addPrimaryKeyConstraint("oauth_records_key", ["model", "id"])
      .execute();
    await db.schema.createIndex("oauth_records_uid").on("oauth_records").columns(["model", "uid"]).execute();
    await db.schema.createIndex("oauth_records_grant").on("oauth_records").column("grant_id").execute();
    await db.schema.createIndex("oauth_records_expiry").on("oauth_records").column("expires_at_ms").execute();
    await db.schema
      .createTable("secrets")
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("value", "text", (column) => column.notNull())
      .addColumn("created_at_ms", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("secrets_key", ["purpose", "id"])
      .execute();
  },
};

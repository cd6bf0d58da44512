// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension PostgresSchema {
    /// The names of all tables that the migrations create.
    static var tables: Set<String> {
        let scripts = SchemaMigration.all.map { $0.script(for: .postgres).sql }
        return Set(["migrations"] + scripts.flatMap { $0.matches(of: /CREATE TABLE (\w+)/).map { String($0.1) } })
    }

    /// Refuses a database in which Citus distributes one of Freshet's tables.
    ///
    /// The extension without such tables is accepted.
    ///
    /// Tested on PostgreSQL with a table of the catalogue's name and column in a schema on the search path. Documented,
    /// but not tested because Citus was not available: `pg_dist_partition` is in `pg_catalog`, which is always on the
    /// path, exists where the extension does, and lists distributed, reference and managed local tables.
    ///
    /// - Throws: `DatabaseStartupError.distributedTables`.
    static func refuseDistributedTables(_ connection: PostgresConnection) throws {
        let catalogue = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
        guard try connection.row(catalogue, [], { try $0[0] as Bool }) ?? false else { return }
        let names = tables.sorted().map { "('\($0)')" }.joined(separator: ", ")
        let distributed = try connection.rows(
            """
            SELECT name FROM (VALUES \(names)) AS own (name) \
            WHERE to_regclass(name)::oid IN (SELECT logicalrelid::oid FROM pg_dist_partition) ORDER BY name
            """
        ) { try $0[0] as String }
        guard distributed.isEmpty else { throw DatabaseStartupError.distributedTables(distributed) }
    }
}

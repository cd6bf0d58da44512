// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// The history of the metrics, for operators.
    static let metricsHistory = SchemaMigration(
        number: 7,
        name: "create figures",
        recordedAs: "7 figures over time",
        isOnlineSafe: true,
        sqlite: """
            CREATE TABLE figures (
                minute INTEGER NOT NULL,        -- since 1970; of what is older than two days, the first of the hour
                node TEXT NOT NULL,             -- which server counted
                name TEXT NOT NULL,
                label TEXT NOT NULL,
                value INTEGER NOT NULL,
                PRIMARY KEY (minute, node, name, label)
            ) WITHOUT ROWID;
            """,
        postgres: """
            CREATE TABLE figures (
                minute BIGINT NOT NULL,         -- since 1970; of what is older than two days, the first of the hour
                node TEXT NOT NULL,             -- which server counted
                name TEXT NOT NULL,
                label TEXT NOT NULL,
                value BIGINT NOT NULL,
                PRIMARY KEY (minute, node, name, label)
            );
            """
    )
}

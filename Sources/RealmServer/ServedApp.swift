// SPDX-License-Identifier: Apache-2.0

// An app with its services.

#if Server
import RealmServerEngine
import RealmSyncProtocol

/// An app of the server.
struct ServedApp: Sendable {
  let file: AppFile
  let api: APIApp
  let schema: SchemaKeeper
  let host: ServerHost
  let store: EmbeddedStore
  let upkeep: ServerUpkeep
}
#endif

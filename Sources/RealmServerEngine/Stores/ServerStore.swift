// SPDX-License-Identifier: Apache-2.0

// The contract of the places where realms are kept.

package import RealmSyncProtocol
package import RealmTables

/// Keeps realms: their objects, histories and client files.
///
/// All calls run on the executor of their caller and may block it, so callers bring a thread of
/// their own (`ThreadExecutor`).
package protocol ServerStore: Sendable {
  /// Opens a realm, made if it is new; the caller owns it from now on.
  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> RealmHead

  /// Whether a realm was made; nothing is opened for it.
  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool

  /// The realms of an app.
  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]

  /// The contents of a realm, open or not; it gets no owner by this.
  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline

  /// Gives up the resources of an open realm. Calls for it fail until it is opened again.
  nonisolated(nonsending)
    func close(_ realm: RealmID) async

  /// Appends the changes of `build`. It gets the objects of the newest version and carries out the
  /// new entries in them. All of it is stored together, or nothing; it is durable when this
  /// returns.
  ///
  /// - Parameters:
  ///   - version: The version before the new ones.
  ///   - epoch: The caller's, who has to be the owner still.
  ///   - build: Returns nil for nothing to be changed.
  /// - Returns: The new head; nil if nothing was changed.
  nonisolated(nonsending)
    func append(
      to realm: RealmID, expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StoreError) -> Batch?
    ) async throws(StoreError) -> RealmHead?

  /// The objects of the given version or a later one.
  nonisolated(nonsending)
    func snapshot(
      of realm: RealmID, atLeast version: UInt64
    ) async throws(StoreError)
    -> ObjectSnapshot

  /// The existing entries of a range of versions.
  ///
  /// - Throws: `StoreError.trimmed` if entries of the range were there and are no more.
  nonisolated(nonsending)
    func entries(
      of realm: RealmID, in range: Range<UInt64>
    ) async throws(StoreError)
    -> [StoredEntry]

  /// Makes a client file; it is durable when this returns.
  nonisolated(nonsending)
    func allocateFile(
      in realm: RealmID, for user: String, now: OriginTimestamp
    ) async throws(StoreError) -> ClientFile

  /// A client file; nil if it was never made.
  nonisolated(nonsending)
    func file(_ ident: FileIdentifier, in realm: RealmID) async throws(StoreError) -> ClientFile?

  /// All client files.
  nonisolated(nonsending)
    func files(in realm: RealmID) async throws(StoreError) -> [ClientFile]

  /// The entries after a version whose form for a client is another than in the history.
  nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]

  /// The private changes of a client after a version, in the order of their versions.
  nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]

  /// New heads of all realms, for waking waiting sessions; they may repeat and be late, and are
  /// never the only truth.
  func heads() -> AsyncStream<RealmHead>
}

// SPDX-License-Identifier: Apache-2.0

// The contract of the places where realms are kept.

package import RealmSyncProtocol
package import RealmTables

/// Keeps realms: their objects, histories and client files.
///
/// All calls run on the executor of their caller and may block it, so callers bring a thread of
/// their own (`ServerThread`).
package protocol ServerStore: Sendable {
  /// Opens a realm, which is made if it is new; the caller owns it from now on.
  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> RealmHead

  /// Whether a realm was made; nothing is opened for it.
  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool

  /// The realms of an app.
  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]

  /// What a realm has, which need not be open and gets no owner by this.
  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline

  /// Gives up what an open realm takes. Calls for it fail until it is opened again.
  nonisolated(nonsending)
    func close(_ realm: RealmID) async

  /// Appends what `build` makes of the objects of the newest version, in which it carries out the
  /// new entries. All of it is stored together, or nothing; it is durable when this returns.
  ///
  /// - Parameters:
  ///   - version: The version after which to append.
  ///   - epoch: The one of the caller, who has to be the owner still.
  ///   - build: Returns nil for nothing to be changed.
  /// - Returns: The new head; nil if nothing was changed.
  nonisolated(nonsending)
    func append(
      to realm: RealmID, expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StoreError) -> Batch?
    ) async throws(StoreError) -> RealmHead?

  /// The objects of a version that is at least the given one.
  nonisolated(nonsending)
    func snapshot(
      of realm: RealmID, atLeast version: UInt64
    ) async throws(StoreError)
    -> ObjectSnapshot

  /// The entries of the versions in a range that exist.
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

  /// New heads of all realms. They wake those who wait; they may repeat and be late, and are never
  /// the only truth.
  func heads() -> AsyncStream<RealmHead>
}

// SPDX-License-Identifier: Apache-2.0

// One open file.
//
// Invariants:
// 1. `tables` is one version; windows, objects and charts are read from it, or from `draft` while a
//    transaction is open, and never from half a version.
// 2. `listings` are results in the version of `tables`, `draftListings` in the state of `draft`.
// 3. All reads and writes of the file run on `queue`, and block no thread of the cooperative pool.

#if Tools
import RealmQuery
import RealmStorage
import RealmFormats
import RealmTables

/// A file on the page: the shown version, kept results, and the open transaction.
actor StudioDatabase {
  /// The most kept results; each may have a key for every object of a class.
  private static let listingCountMax = 6
  /// The time without edits before a transaction is cancelled, so that other programs can write.
  static let idleTimeMax = Duration.seconds(600)
  /// The time without a page, after there was one, before a transaction is cancelled: a page that
  /// is loaded again is back sooner.
  static let absenceMax = Duration.seconds(30)

  nonisolated let queue: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  /// The number of the file in the addresses of the page.
  nonisolated let number: Int
  nonisolated let path: String
  nonisolated let encryptionKey: EncryptionKey?
  nonisolated let isWritable: Bool
  /// Whether commits of other programs are seen.
  nonisolated let isLive: Bool
  nonisolated let events: EventHub

  let file: DatabaseFile
  var tables: TableGroup
  var draft: Draft?
  var isBeginning = false
  private var listings: [Listing.Request: Listing] = [:]
  private var draftListings: [Listing.Request: Listing] = [:]
  /// The requests of the kept listings, the last used one last.
  private var recent: [Listing.Request] = []
  private var listener: VersionListener?

  init(_ studioFile: StudioFile, number: Int, isWritable: Bool, events: EventHub) throws {
    let opened = try OpenedFile(studioFile, isWritable: isWritable)
    file = opened.file
    isLive = opened.isLive
    tables = try TableGroup(opened.file.snapshot())
    queue = QueueExecutor(label: "OpenRealm Studio file \(number)")
    self.number = number
    self.isWritable = isWritable
    self.events = events
    path = studioFile.path
    encryptionKey = studioFile.encryptionKey
  }

  /// The description of the file in the list of files.
  nonisolated var json: JSONValue {
    [
      "id": .integer(Int64(number)), "path": .string(path),
      "name": .string(path.split(separator: "/").last.map(String.init) ?? path),
      "isWritable": .bool(isWritable), "isLive": .bool(isLive),
      "isEncrypted": .bool(encryptionKey != nil),
    ]
  }

  /// The shown tables.
  var source: any TableReader { draft?.group ?? tables }

  func classes() throws -> StoredSchema {
    try StoredSchema(source)
  }

  // MARK: - Results

  /// The result of a request, made at most once for a version.
  func listing(_ request: Listing.Request, in classes: StoredSchema) throws -> Listing {
    recent.removeAll { $0 == request }
    recent.append(request)
    if recent.count > Self.listingCountMax {
      let oldest = recent.removeFirst()
      listings[oldest] = nil
      draftListings[oldest] = nil
    }
    let kept = draft == nil ? listings[request] : draftListings[request]
    if let kept { return kept }
    let listing: Listing
    do { listing = try Listing(request, in: classes) } catch {
      recent.removeLast()
      throw error
    }
    if draft == nil { listings[request] = listing } else { draftListings[request] = listing }
    return listing
  }

  /// Forgets the results of the open transaction after a change.
  func forgetDraftListings() { draftListings = [:] }

  // MARK: - Following

  /// Follows the commits of all programs from now on.
  func follow() throws {
    guard isLive, listener == nil else { return }
    listener = try file.onNewVersion { [weak self] _ in
      Task { [weak self] in await self?.advance() }
    }
    advance()
  }

  /// Shows the newest version, and reports the changes to the pages.
  func advance() {
    guard file.newestVersion > tables.version else { return }
    do throws(StorageError) {
      let old = tables
      let new = try TableGroup(try file.snapshot(), schemas: old.schemas)
      let changes = try ChangeLogParser.changes(
        in: file.changesets(after: old.version, through: new.snapshot))
      tables = new
      var refreshed: [Listing.Request: Listing] = [:]
      for (request, listing) in listings {
        // A result that cannot be updated is made again on demand.
        refreshed[request] = try? listing.refreshed(by: changes, in: new)
      }
      listings = refreshed
      events.publish(try ChangeReport(changes, from: old, to: new, file: number).json)
    } catch {
      // The next version may be readable; the old one stays.
      events.publish(
        ["kind": "failure", "file": .integer(Int64(number)), "error": .string("\(error)")])
    }
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0

// A file as one confinement uses it: the version that it reads, its write transaction, and its
// observers.
//
// Invariants:
// 1. Everything here is used in the confinement only, except where a member says otherwise.
// 2. Between transactions `shownTables` are those of a committed version, pinned until the session
//    advances; in a transaction, `transaction` has its own changes and `shownTables` its base.
// 3. `state.generation` changes before rows of another version can be read (see `SessionState`).
// 4. A frozen session reads one version permanently, and on many threads at once. Nothing in it
//    changes after it was published, but for `wasInvalidated`.
// 5. Observers are called outside of all locks, after the state of the session is complete.

public import CRealmPlatform
package import RealmStorage
public import RealmTables
import Synchronization

/// A live view of a file in one confinement. It knows tables, not classes: a realm adds those.
@safe
open class Session: SessionOwner {
  /// The file, and what all its sessions in this process share.
  package final let shared: SharedFile
  package final let confinement: Confinement
  /// Whether the session reads one version permanently, on any thread.
  package final let isFrozen: Bool
  /// Whether the session neither writes nor follows the file.
  package final let isReadOnly: Bool
  /// How many versions may be in use when a transaction begins; nil for any number.
  private let versionLimit: UInt64?
  /// Tells the program of damage, after which reads go on; nil if they trap. No lock is held.
  private let damageHandler: (@Sendable (StorageError) -> Void)?
  /// What commits promise when they return.
  final let durability: CommitDurability
  /// The state that each property access reads; see `SessionState`.
  @usableFromInline package final let state: UnsafeMutablePointer<SessionState>
  /// Finds the session without keeping it.
  package final let reference = SessionReference()
  /// The observers of new versions; nil for sessions that never change.
  package private(set) final var observers: SessionObservers?
  /// The writes that do not wait for the disk, or for their turn.
  package private(set) final lazy var asyncWrites = AsyncWrites(self)

  /// The open write transaction.
  package private(set) final var transaction: WriteGroup? {
    get { unsafe openTransaction }
    set { unsafe openTransaction = newValue }
  }
  /// Counts the write transactions, so that revisions of them can be distinguished.
  package private(set) final var transactionNumber: UInt64 = 0
  /// The oldest generation whose objects are valid: objects whose rows were last read in an older
  /// one were invalidated. It is below the present generation, so it also marks objects whose rows
  /// were not read yet.
  package private(set) final var firstValidGeneration: UInt64 = 1
  /// Counts the changes of the open transaction and the moves between versions: what was computed
  /// at another count is out of date.
  package final var dataGeneration: UInt64 { unsafe changeCount }
  /// The changes between the last two versions that a result asked for.
  final var lastChanges: ChangesSince?

  // Confined as the session is, and read or written whole: checks of exclusivity, two for each
  // change of a transaction, could not find anything.
  @exclusivity(unchecked) private final var openTransaction: WriteGroup?
  @exclusivity(unchecked) private final var changeCount: UInt64 = 1

  private var tables: TableGroup?
  /// Says who shows the version; nil while none is shown.
  private var hold: VersionHold?
  /// Whether anything was read from the version that the session shows.
  private var hasBegunReading = false
  private var structureGeneration = 0
  /// The session itself while a transaction is open that the main thread may end at any time.
  private var keptWhileWriting: Session?
  private let wasInvalidated = Atomic<Bool>(false)
  /// Whether a transaction is open; read on any thread.
  private let hasOpenTransaction = Atomic<Bool>(false)
  /// How many asynchronous writes have begun and not ended; read on any thread.
  private let asyncWriteCount = Atomic<Int>(0)
  /// Clears the isolation of the live session in forked children, so that it matches no thread.
  private let forkItem: OpaquePointer?

  /// Creates a session. May be called on any thread.
  ///
  /// A session that is to follow the file needs `startObserving()`.
  public init(_ options: SessionOptions) {
    shared = options.shared
    confinement = options.confinement
    tables = options.tables
    isReadOnly = options.isReadOnly
    versionLimit = options.versionLimit
    durability = options.durability
    damageHandler = options.damageHandler
    isFrozen = confinement.isFrozen
    hold = VersionHold(
      options.tables.snapshot, by: confinement.isFrozen ? .freezing : .opening)
    unsafe state = UnsafeMutablePointer<SessionState>.allocate(capacity: 1)
    unsafe state.initialize(
      to: SessionState(
        isolation: confinement.isolationWord, generation: 2, isInWrite: false,
        trackingPlace: TrackingPlace.place))
    unsafe forkItem = unsafe confinement.isFrozen ? nil : realm_fork_add(REALM_FORK_CLEAR, state, 0)
    super.init()
    reference.set(self)
  }

  deinit {
    reference.clear()
    unsafe realm_fork_remove(forkItem)
    transaction?.rollback()
    unsafe state.deallocate()
  }

  // MARK: - Overridden by subclasses

  /// The rules for what is deleted with objects, as the program's classes declare them; nil for
  /// none.
  open var deleteRules: DeleteRules? { nil }

  /// Called when a transaction has ended: its tables must not be used any more.
  open func transactionDidEnd() {}

  /// Called with each event for the log. No lock is held.
  open func log(_ event: SessionEvent) {}

  // MARK: - Checks

  package final var file: DatabaseFile { shared.file }

  /// Traps unless the caller runs in the session's confinement.
  @inlinable @inline(__always)
  package final func checkIsolation() {
    if unsafe state.pointee.isolation != realm_thread_pointer() { checkIsolationSlowly() }
  }

  /// Traps unless the caller runs in the session's confinement. Called when the comparison of
  /// threads did not decide.
  @usableFromInline @inline(never)
  package final func checkIsolationSlowly() {
    if realm_is_forked() { throwRealmException("\(StorageError.forkedProcess(path: file.path))") }
    if unsafe state.pointee.isolation == Confinement.anyThread {
      if !isFrozenAndInvalid { return }
      throwRealmException("Cannot read from a frozen Realm which has been invalidated.")
    }
    if !confinement.isCurrent {
      throwRealmException(
        confinement.violationText + " Open the Realm at path '\(file.path)' there as well, or hand "
          + "over a frozen object or a ThreadSafeReference.")
    }
  }

  /// Whether the session is frozen and was invalidated. May be called on any thread.
  package final var isFrozenAndInvalid: Bool {
    isFrozen && wasInvalidated.load(ordering: .relaxed)
  }

  /// Whether the calling thread is inside `withObservationTracking`.
  @inlinable @inline(__always)
  package final var isTracking: Bool { unsafe realm_is_tracking(state.pointee.trackingPlace) }

  /// Whether a write transaction is open.
  @inlinable @inline(__always)
  package final var isInWrite: Bool { unsafe state.pointee.isInWrite }

  /// Traps with `text` as the reason unless a write transaction is open.
  @inlinable @inline(__always)
  package final func requireWrite(orElse text: @autoclosure () -> String) {
    if unsafe !state.pointee.isInWrite { throwRealmException(text()) }
  }

  /// Traps if the session is frozen, or was opened for reading only.
  package final func requireWritable() {
    if isFrozen { throwRealmException("Can't perform transactions on a frozen Realm") }
    if isReadOnly { throwRealmException("Can't perform transactions on read-only Realms.") }
  }

  // MARK: - Damage

  /// Whether damage is reported to the program, and reads go on where they meet it.
  package final var reportsDamage: Bool { damageHandler != nil }

  /// Reports damage to the program.
  final func report(_ damage: StorageError) { damageHandler?(damage) }

  // MARK: - Reading

  /// The tables of the version that the session shows; after `invalidate()` the newest.
  package final func readableTables() throws(StorageError) -> TableGroup {
    // Any thread may read a frozen session (`Session` 4).
    if !isFrozen { hasBegunReading = true }
    if let tables { return tables }
    let newest = try shared.newestTables()
    show(newest, by: .reading)
    return newest
  }

  /// The tables of the version that the session shows; nil after `invalidate()`.
  package final var shownTables: TableGroup? { tables }

  /// The version that the session shows.
  package final func snapshot() throws(StorageError) -> Snapshot { try readableTables().snapshot }

  /// Lets the session follow the file. To be called in the confinement.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  package final func startObserving() throws(StorageError) {
    assert(!isFrozen, "`Session` 4: a frozen session follows nothing")
    // The session may have been made on another thread.
    unsafe state.pointee.isolation = confinement.isolationWord
    guard !isReadOnly, observers == nil else { return }
    let observers = try SessionObservers(of: self)
    self.observers = observers
    observers.hub.show(tables)
  }

  /// Marks the session as ready. To be called before the program reads anything.
  package final func isReady() { hasBegunReading = false }

  // MARK: - Versions

  /// Shows another version. The caller notifies the observers.
  package final func show(_ newTables: TableGroup?, by use: VersionUse) {
    assert(!isInWrite, "`Session` 2")
    assert(!isFrozen, "`Session` 4")
    if let newTables { log(.reads(newTables.version)) }
    tables = newTables
    if let newTables { hold = VersionHold(newTables.snapshot, by: use) } else { hold = nil }
    observers?.hub.show(newTables)
    bumpGeneration()
  }

  /// Shows a version that the caller keeps, even an older one, if nothing was read from the shown
  /// version yet.
  ///
  /// - Parameter isFitting: Returns whether the version has what the session needs.
  package final func startReading(
    at older: TableGroup, if isFitting: @autoclosure () throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard !hasBegunReading, !isFrozen, !isInWrite, observers?.isDelivering == false else { return }
    if let tables, tables.version <= older.version { return }
    guard try isFitting() else { return }
    hasBegunReading = true
    show(older, by: .reading)
    shared.notifier.signal()
  }

  /// Makes every further access to the frozen session trap.
  package final func invalidateFrozen() { wasInvalidated.store(true, ordering: .relaxed) }

  /// Releases the version; what was read so far becomes invalid. An open transaction is undone.
  package final func invalidate() {
    if isInWrite {
      log(.invalidatedInWrite)
      cancelWrite()
    }
    asyncWrites.waitForCommits()
    guard tables != nil else { return }
    show(nil, by: .reading)
    hasBegunReading = false
    dropRows()
  }

  /// Makes everything that was read so far invalid.
  package final func dropRows() {
    firstValidGeneration = unsafe state.pointee.generation
    bumpGeneration()
  }

  /// Must precede each read of another version, or of another state of a transaction.
  final func bumpGeneration() {
    assert(!isFrozen, "`SessionState` 4")
    unsafe state.pointee.generation &+= 1
    unsafe changeCount &+= 1
  }

  // MARK: - The open transaction

  /// To be called after every change of the open transaction.
  @inline(__always)
  package final func didMutate() {
    unsafe changeCount &+= 1
    guard let transaction = unsafe openTransaction,
      transaction.structureGeneration != structureGeneration
    else { return }
    didChangeStructure(transaction)
  }

  @inline(never)
  private final func didChangeStructure(_ transaction: WriteGroup) {
    orTrap(try transaction.deleteDropped())
    structureGeneration = transaction.structureGeneration
    unsafe state.pointee.generation &+= 1
  }

  /// Takes over a transaction whose base the session shows. It may be a transaction of another
  /// owner, such as a migration.
  package final func open(_ writing: WriteGroup) {
    assert(!isInWrite && transaction == nil, "`Session` 2: one transaction is open at a time")
    assert(!isFrozen, "`Session` 4")
    writing.deleteRules = deleteRules
    transaction = writing
    transactionNumber &+= 1
    structureGeneration = writing.structureGeneration
    unsafe state.pointee.isInWrite = true
    hasOpenTransaction.store(true, ordering: .relaxed)
    hasBegunReading = true
    bumpGeneration()
  }

  /// Checks how many versions are in use.
  ///
  /// - Throws: `StorageError.limitExceeded` if they are more than the session's limit.
  final func requireFewVersions() throws(StorageError) {
    guard let versionLimit else { return }
    let count = file.newestVersion - file.oldestPinnedVersion + 1
    guard count > versionLimit else { return }
    throw .limitExceeded(
      "Number of active versions (\(count)) in the Realm exceeded the limit of \(versionLimit). "
        + "Release frozen objects and Realms that are no longer needed, refresh the Realms of "
        + "other threads, and leave no read open for long: each keeps the version that it reads. "
        + "Or raise 'maximumNumberOfActiveVersions'.")
  }

  /// Forgets the open transaction, which was committed or rolled back.
  package final func endTransaction() {
    transaction = nil
    transactionDidEnd()
    unsafe state.pointee.isInWrite = false
    hasOpenTransaction.store(false, ordering: .relaxed)
    bumpGeneration()
    releaseAfterWriting()
  }

  /// Whether a transaction is open; may be asked anywhere.
  package final var isInWriteForAnyThread: Bool { hasOpenTransaction.load(ordering: .relaxed) }

  /// How many asynchronous writes have begun and not ended; may be asked anywhere.
  package final var asyncOperationCount: Int { asyncWriteCount.load(ordering: .relaxed) }

  /// Records how many asynchronous writes go on.
  final func note(asyncOperations count: Int) { asyncWriteCount.store(count, ordering: .relaxed) }

  /// Keeps the session while a transaction is open: its thread finds it again even without a
  /// reference. (A session kept for a queue or an actor would outlive it.)
  final func keepWhileWriting() {
    switch confinement {
    case .main: keptWhileWriting = self
    case .thread: ThreadKeeper.keep(self)
    case .queue, .actor, .frozen: break
    }
  }

  /// Ends what `keepWhileWriting()` began. The caller keeps the session.
  private func releaseAfterWriting() {
    if case .thread = confinement { ThreadKeeper.release(self) }
    keptWhileWriting = nil
  }
}

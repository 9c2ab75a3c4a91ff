// SPDX-License-Identifier: Apache-2.0

// An import at work: documents of a dump become objects of realms.
//
// The realms have no history of this. Each transaction is a version without a changeset, and the
// versions before it are trimmed in the same transaction, so devices get the state: partitions
// by a first download, and flexible sync by a bootstrap.
//
// Invariants:
// 1. A transaction has a bounded size, and one group of documents is in memory.
// 2. The mark follows the documents (`AppImportMark` 2).

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Carries out a plan.
///
/// An actor whose executor is a thread of its own, as it reads and writes files.
package actor ImportRun {
  private let plan: AppImportPlan
  private let files: any ImportFiles
  private let target: ImportTarget
  private let options: ImportOptions
  private let progress: @Sendable (ImportProgress) -> Void
  private nonisolated let thread = ThreadExecutor(named: "realm-import")
  private var mark: AppImportMark
  private let realms: ImportRealms
  /// Whether the next group may have been stored before the mark was.
  private var isRepeated = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - mark: The bytes of the mark of an earlier run to go on with; nil for none.
  ///   - progress: Is called now and then.
  package init(
    _ plan: AppImportPlan, in files: any ImportFiles, to target: ImportTarget,
    options: ImportOptions = ImportOptions(), after mark: [UInt8]? = nil,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) throws(ImportError) {
    self.plan = plan
    self.files = files
    self.target = target
    self.options = options
    self.progress = progress
    realms = ImportRealms(plan, target, countMax: options.openCount)
    let text = AppImportMark.text(of: plan)
    self.mark = AppImportMark(plan: text)
    guard let mark else { return }
    guard let known = AppImportMark(mark), known.plan == text else {
      throw ImportError(
        "The import of the app \(plan.app.id) was begun with another export or another dump. Put "
          + "them back, or begin again with --start-over.")
    }
    self.mark = known
    isRepeated = true
  }

  /// Writes the users and the documents.
  ///
  /// - Parameter users: The path of the list of users; nil if there is none.
  package func run(users: String?) async throws(ImportError) -> AppImportReport {
    try target.mark(mark.bytes)
    var report = AppImportReport()
    if let users {
      let reader = UserReader(try JSONDump(DumpBytes(users, in: files), of: UserReader.namespace))
      report.userCount = try await reader.store(in: target.accounts)
    }
    if plan.app.mode == .flexible { try await realms.make(RealmName(app: plan.app.id)) }
    try await addDocuments()
    await realms.close()
    report.add(mark.report)
    return report
  }

  // MARK: Documents

  private func addDocuments() async throws(ImportError) {
    let total = plan.sources.reduce(0) { $0 + $1.byteCount }
    var done = 0
    var count = 0
    var group = PendingDocuments(options)
    for source in plan.sources {
      let reader = try source.reader(in: files)
      while let document = try next(of: reader, in: source) {
        count += 1
        guard count > mark.documentCount + group.count else { continue }
        group.append(document)
        guard group.isFull else { continue }
        try await store(&group)
        progress(
          ImportProgress(
            documentCount: count, byteCount: done + reader.readByteCount, totalByteCount: total))
      }
      done += source.byteCount
    }
    try await store(&group)
    try target.mark(mark.bytes)
    progress(ImportProgress(documentCount: count, byteCount: done, totalByteCount: total))
  }

  /// The next document; nil at the end of the file, or at damage that is to be skipped: the next
  /// document cannot be found behind it.
  private func next(
    of reader: any DumpReader, in source: DumpSource
  ) throws(ImportError) -> DumpDocument? {
    do throws(ImportError) {
      return try reader.next()
    } catch {
      guard options.skipsDamaged else { throw error }
      mark.report.addCut(source.path, error.description)
      return nil
    }
  }

  /// Stores a group, and then the mark.
  private func store(_ group: inout PendingDocuments) async throws(ImportError) {
    guard group.count > 0 else { return }
    var report = AppImportReport()
    var rejected: [UInt8] = []
    var parts: [RealmName: [DumpDocument]] = [:]
    var customData: [(user: String, document: BSONValue)] = []
    for document in group.documents {
      guard let route = plan.route(of: document.namespace) else {
        report.addLeftOut(document.namespace)
        continue
      }
      if route.className == nil, route.userField == nil {
        report.addLeftOut(document.namespace)
        continue
      }
      if plan.app.mode == .flexible, route.userField == nil {
        parts[RealmName(app: plan.app.id), default: []].append(document)
        continue
      }
      let sorting = DocumentSorting(plan, route, options)
      let place = try sorting.place(of: document)
      if let data = place.customData { customData.append(data) }
      if let problem = place.problem {
        report.add(problem.document)
        rejected += problem.line
      }
      if let realm = place.realm { parts[realm, default: []].append(document) }
    }
    let order = parts.keys.sorted { ($0.partition ?? "") < ($1.partition ?? "") }
    for name in order {
      let documents = parts[name] ?? []
      let outcome = try await realms.add(documents, to: name, options, isRepeated: isRepeated)
      report.add(outcome.report)
      rejected += outcome.rejectedLines
    }
    report.customDataCount = try await storeCustomData(customData)
    try target.reject(rejected, mark.rejectedByteCount)
    mark.rejectedByteCount += rejected.count
    mark.report.add(report)
    mark.documentCount += group.count
    try target.mark(mark.bytes)
    isRepeated = false
    group = PendingDocuments(options)
  }

  private func storeCustomData(
    _ data: [(user: String, document: BSONValue)]
  ) async throws(ImportError) -> Int {
    guard !data.isEmpty else { return 0 }
    do throws(AccountError) {
      return try await target.accounts.setCustomData(data)
    } catch {
      throw ImportError("The users of the app cannot be stored: \(error).")
    }
  }
}

/// How far an import is.
package struct ImportProgress: Hashable, Sendable {
  package let documentCount: Int
  /// The read part of the files of the dump.
  package let byteCount: Int
  package let totalByteCount: Int
}
#endif

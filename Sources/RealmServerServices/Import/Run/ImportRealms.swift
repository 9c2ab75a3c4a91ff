// SPDX-License-Identifier: Apache-2.0

// The realms of an import, few of them open at a time.

#if Server
import RealmDeclarations
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Opens realms and appends to them. Confined to its import.
final class ImportRealms {
  private struct Open {
    let name: RealmName
    let realm: any RealmStore
    var head: RealmHead
  }

  private let plan: AppImportPlan
  private let target: ImportTarget
  private let countMax: Int
  /// In the order of their last use.
  private var open: [Open] = []

  init(_ plan: AppImportPlan, _ target: ImportTarget, countMax: Int) {
    self.plan = plan
    self.target = target
    self.countMax = countMax
  }

  nonisolated(nonsending) func close() async {
    for realm in open { await realm.realm.close() }
    open = []
  }

  /// Makes a realm with all classes, if it is not there.
  nonisolated(nonsending) func make(_ name: RealmName) async throws(ImportError) {
    open.append(try await opened(name))
  }

  /// A realm with its classes, taken from the open ones.
  private nonisolated(nonsending) func opened(_ name: RealmName) async throws(ImportError) -> Open {
    if let index = open.firstIndex(where: { $0.name == name }) { return open.remove(at: index) }
    if open.count >= countMax { await open.removeFirst().realm.close() }
    do throws(StoreError) {
      let realm = try await target.store.open(name)
      var found = Open(name: name, realm: realm, head: try await realm.own())
      if found.head.version == 0 { try await declare(in: &found) }
      return found
    } catch {
      throw Self.failure(error, name)
    }
  }

  private nonisolated(nonsending) func declare(in realm: inout Open) async throws(StoreError) {
    let schema = plan.schema
    let entry = entry(after: realm.head)
    let head = try await realm.realm.append(
      expecting: realm.head.version, epoch: realm.head.epoch
    ) { (group) throws(StorageError) in
      var applier = InstructionApplier(group, file: .server)
      for declared in schema.declared.classes {
        let declarations = try schema.declarations(ofClass: declared.name, missingIn: group)
        guard !declarations.isEmpty else { continue }
        do throws(ApplyError) {
          try applier.apply(declarations)
        } catch {
          switch error {
          case .storage(let cause): throw cause
          case .badChangeset(let problem, _):
            throw StorageError.limitExceeded("the class \(declared.name): \(problem)")
          }
        }
      }
      return Batch(entries: [entry])
    }
    if let head { realm.head = head }
  }

  /// A version without a changeset.
  private func entry(after head: RealmHead) -> StoredEntry {
    let now = target.clock.now()
    return StoredEntry(
      version: head.version + 1, salt: target.salts.next(), file: .server, clientVersion: 0,
      timestamp: now, committed: now, originalByteCount: 0, totalByteCount: head.totalByteCount,
      changeset: [])
  }

  /// Writes documents in one transaction.
  nonisolated(nonsending) func add(
    _ documents: [DumpDocument], to name: RealmName, _ options: ImportOptions, isRepeated: Bool
  ) async throws(ImportError) -> (report: AppImportReport, rejectedLines: [UInt8]) {
    var realm = try await opened(name)
    let entry = entry(after: realm.head)
    let (plan, before) = (plan, realm.head.version)
    var refused: [Int: String] = [:]
    while true {
      var result = (report: AppImportReport(), rejectedLines: [UInt8]())
      var end: ImportGroup.End?
      do throws(StoreError) {
        let head = try await realm.realm.append(
          expecting: before, epoch: realm.head.epoch
        ) { (group) throws(StorageError) -> Batch? in
          var writing = try ImportGroup(
            group, plan, options, isRepeated: isRepeated, refused: refused)
          do throws(ImportGroup.End) {
            try writing.add(documents)
          } catch {
            if case .storage(let cause) = error { throw cause }
            end = error
            return nil
          }
          result = (writing.report, writing.rejectedLines)
          return writing.hasChanges ? Batch(entries: [entry], trimsThrough: before) : nil
        }
        if let head { realm.head = head }
      } catch {
        throw Self.failure(error, name)
      }
      switch end {
      case nil:
        open.append(realm)
        return result
      case .refused(let index, let reason)?: refused[index] = reason
      case .failed(let error)?: throw error
      case .storage(let error)?: throw Self.failure(.storage(error), name)
      }
    }
  }

  private static func failure(_ error: StoreError, _ name: RealmName) -> ImportError {
    let realm = name.partition.map { "The partition \($0)" } ?? "The realm of the app"
    return ImportError(
      "\(realm) cannot be written: \(error) Make room or change permissions, and give the same "
        + "command again: it goes on.")
  }
}
#endif

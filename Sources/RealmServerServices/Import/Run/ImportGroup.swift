// SPDX-License-Identifier: Apache-2.0

// The documents of one transaction.

#if Server
import RealmFormats
import RealmQuery
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Writes documents as objects, in a transaction of their realm.
struct ImportGroup {
  /// The end of a group.
  enum End: Error {
    case storage(StorageError)
    case failed(ImportError)
    /// The realm does not take the changeset of a document, so the transaction cannot go on.
    case refused(index: Int, reason: String)
  }

  private let group: WriteGroup
  private let plan: AppImportPlan
  private let options: ImportOptions
  /// Whether existing objects may come from the same documents.
  private let isRepeated: Bool
  /// The documents refused by the realm before.
  private let refused: [Int: String]
  private let classes: StoredSchema
  private var fitting: DocumentFitting
  private var applier: InstructionApplier
  private(set) var report = AppImportReport()
  /// The lines about rejected documents.
  private(set) var rejectedLines: [UInt8] = []
  private(set) var hasChanges = false
  /// The objects of the group so far.
  private var seen: Set<ObjectIdentity> = []

  init(
    _ group: WriteGroup, _ plan: AppImportPlan, _ options: ImportOptions, isRepeated: Bool,
    refused: [Int: String]
  ) throws(StorageError) {
    self.group = group
    self.plan = plan
    self.options = options
    self.isRepeated = isRepeated
    self.refused = refused
    classes = try StoredSchema(group)
    fitting = DocumentFitting(group)
    applier = InstructionApplier(group, file: .server)
  }

  mutating func add(_ documents: [DumpDocument]) throws(End) {
    for (index, document) in documents.enumerated() {
      guard let name = plan.route(of: document.namespace)?.className else { continue }
      let value: BSONValue
      do throws(ImportError) {
        value = try document.value()
      } catch {
        guard options.skipsDamaged else { throw .failed(error) }
        try reject(document, nil, nil, error.description)
        continue
      }
      var misfit = refused[index].map { DocumentFitting.Misfit(field: nil, reason: $0) }
      if misfit == nil { misfit = try add(value, of: name, index) }
      if let misfit { try reject(document, value, misfit.field, misfit.reason) }
    }
    report.add(unknownFields: fitting.unknownFields)
  }

  private mutating func reject(
    _ document: DumpDocument, _ value: BSONValue?, _ field: String?, _ reason: String
  ) throws(End) {
    let rejected = RejectedDocument(
      collection: document.namespace.description, id: value?["_id"], field: field, reason: reason)
    guard !options.isStrict else {
      throw .failed(
        ImportError(
          "A document does not fit the schema: \(rejected). Correct it, and make the dump again, "
            + "or go on without --strict, which leaves such documents out."))
    }
    report.add(rejected)
    rejectedLines += rejected.line(value)
  }

  /// Makes the object of a document; returns why not.
  private mutating func add(
    _ document: BSONValue, of name: String, _ index: Int
  ) throws(End) -> DocumentFitting.Misfit? {
    guard let schema = classes[name], let column = schema.primaryKey,
      let id = document["_id"], let key = TableValue(key: id, column)
    else { return .init(field: "_id", reason: "the document needs an _id of its type") }
    let isThere: Bool
    do throws(StorageError) {
      isThere = try group.table(schema.key)?.findRow(primaryKey: key) != nil
    } catch {
      throw .storage(error)
    }
    let object = ObjectIdentity(className: name, key: .value(key))
    guard !seen.contains(object), !isThere || isRepeated else {
      return .init(field: "_id", reason: "another document has the same _id")
    }
    let changeset: Changeset
    do throws(DocumentFitting.Misfit) {
      changeset = try fitting.changeset(
        document, schema, key: key,
        partitionKey: plan.app.mode == .partition ? plan.app.documents.partitionKey : nil)
    } catch {
      return error
    }
    seen.insert(object)
    guard !isThere else {
      report.addObject(of: name)
      return nil
    }
    do throws(ApplyError) {
      try applier.apply(changeset)
    } catch {
      switch error {
      case .storage(let cause): throw .storage(cause)
      case .badChangeset(let problem, _): throw .refused(index: index, reason: "\(problem)")
      }
    }
    hasChanges = true
    report.addObject(of: name)
    return nil
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0

// The realm of a document, and the user whose custom data it is.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol
import RealmText

/// Reads documents, and finds their places.
struct DocumentSorting {
  /// The largest custom data of a user: it is in each access token.
  private static let customDataByteCountMax = 16 << 10

  /// Where a document goes.
  struct Place {
    var realm: RealmName?
    var customData: (user: String, document: BSONValue)?
    /// Why it goes nowhere, or not to all places.
    var problem: (document: RejectedDocument, line: [UInt8])?
  }

  private let plan: AppImportPlan
  private let route: AppImportRoute
  private let options: ImportOptions

  init(_ plan: AppImportPlan, _ route: AppImportRoute, _ options: ImportOptions) {
    self.plan = plan
    self.route = route
    self.options = options
  }

  func place(of document: DumpDocument) throws(ImportError) -> Place {
    var place = Place()
    let value: BSONValue
    do throws(ImportError) {
      value = try document.value()
    } catch {
      guard options.skipsDamaged else { throw error }
      place.problem = try problem(document, nil, nil, error.description)
      return place
    }
    if let field = route.userField {
      if let user = Self.user(value[field]), let data = Self.customData(value) {
        place.customData = (user, data)
      } else {
        place.problem = try problem(
          document, value, field,
          "the custom data is of no user, or has more than "
            + "\(Self.customDataByteCountMax) bytes")
      }
    }
    guard route.className != nil else { return place }
    guard plan.app.mode == .partition else {
      place.realm = RealmName(app: plan.app.id)
      return place
    }
    let key = plan.app.documents.partitionKey
    let partition = value[key] ?? .null
    guard partition != .null || !plan.needsPartition else {
      place.problem = try problem(document, value, key, "the document has no partition")
      return place
    }
    guard let text = PartitionText.canonical(ExtendedJSONWriter.text(partition)) else {
      place.problem = try problem(document, value, key, "the value is none of a partition")
      return place
    }
    place.realm = RealmName(app: plan.app.id, partition: text)
    return place
  }

  private static func user(_ value: BSONValue?) -> String? {
    switch value {
    case .string(let text)?: text
    case .objectID(let id)?: id.text
    default: nil
    }
  }

  private static func customData(_ value: BSONValue) -> BSONValue? {
    ExtendedJSONWriter.text(value).utf8.count <= customDataByteCountMax ? value : nil
  }

  private func problem(
    _ document: DumpDocument, _ value: BSONValue?, _ field: String?, _ reason: String
  ) throws(ImportError) -> (document: RejectedDocument, line: [UInt8]) {
    let rejected = RejectedDocument(
      collection: document.namespace.description, id: value?["_id"], field: field, reason: reason)
    guard !options.isStrict else {
      throw ImportError(
        "A document does not fit the app: \(rejected). Correct it, and make the dump again, or go "
          + "on without --strict, which leaves such documents out.")
    }
    return (rejected, rejected.line(value))
  }
}
#endif

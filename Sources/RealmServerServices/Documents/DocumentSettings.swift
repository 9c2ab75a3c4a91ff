// SPDX-License-Identifier: Apache-2.0

// The member "documents" of `app.json`: how clients call the documents of the app.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

/// The names in calls about documents.
package struct DocumentSettings: Hashable, Sendable {
  /// The service that clients name.
  package var service = "mongodb-atlas"
  /// The field with the partition of a document; of use in partition mode alone.
  package var partitionKey = "_partition"

  package init() {}

  init(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) {
    guard case .object(let members) = json else {
      throw AppFileError("needs \"documents\" as an object", at: path)
    }
    var keys: Set<String> = []
    for member in members {
      let path = path + [.key(member.key)]
      guard keys.insert(member.key).inserted else {
        throw AppFileError("has the key \"\(member.key)\" twice", at: path)
      }
      guard ["service", "partition_key"].contains(member.key) else {
        throw AppFileError(
          "has the unknown key \"\(member.key)\" in \"documents\": there are service and "
            + "partition_key", at: path)
      }
      guard let name = member.value.string, !name.isEmpty, !name.contains("."), name != "_id"
      else { throw AppFileError("has a \"\(member.key)\" that is no name", at: path) }
      if member.key == "service" { service = name } else { partitionKey = name }
    }
  }

  /// The member of the file.
  func json(_ mode: SyncMode) -> JSONValue {
    var members = [JSONMember("service", .string(service))]
    if mode == .partition { members.append(JSONMember("partition_key", .string(partitionKey))) }
    return .object(members)
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0

// The member "custom_user_data" of `app.json`: the class of the app's data with the custom data of
// its users.

package import RealmFormats

/// The class with the custom data of users.
package struct CustomUserData: Hashable, Sendable {
  package var className: String
  /// The property with the id of the user.
  package var userField: String
  /// The canonical text of the partition with the class; nil in flexible mode.
  package var partition: String?

  package init(className: String, userField: String, partition: String? = nil) {
    self.className = className
    self.userField = userField
    self.partition = partition
  }

  /// Reads the member of the file.
  package init(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) {
    guard case .object(let members) = json else {
      throw AppFileError("needs \"custom_user_data\" as an object", at: path)
    }
    self.init(className: "", userField: "")
    var keys: Set<String> = []
    for member in members {
      let path = path + [.key(member.key)]
      guard keys.insert(member.key).inserted else {
        throw AppFileError("has the key \"\(member.key)\" twice", at: path)
      }
      switch member.key {
      case "class": className = try Self.name(member, at: path)
      case "user_id_field": userField = try Self.name(member, at: path)
      case "partition":
        guard let text = PartitionText.canonical(JSONWriter.text(member.value)) else {
          throw AppFileError(
            "has a \"partition\" that is no text, number, id or null", at: path)
        }
        partition = text
      default:
        throw AppFileError(
          "has the unknown key \"\(member.key)\" in \"custom_user_data\": there are class, "
            + "user_id_field and partition", at: path)
      }
    }
    for key in ["class", "user_id_field"] where !keys.contains(key) {
      throw AppFileError("needs a \"\(key)\" in \"custom_user_data\"", at: path)
    }
  }

  /// The member of the file.
  package var json: JSONValue {
    var members = [
      JSONMember("class", .string(className)), JSONMember("user_id_field", .string(userField)),
    ]
    if let partition = partition.flatMap({ try? JSONParser.parse($0) }) {
      members.append(JSONMember("partition", partition))
    }
    return .object(members)
  }

  private static func name(
    _ member: JSONMember, at path: [JSONStep]
  ) throws(AppFileError) -> String {
    guard let name = member.value.string, !name.isEmpty else {
      throw AppFileError("has a \"\(member.key)\" that is no name", at: path)
    }
    return name
  }
}

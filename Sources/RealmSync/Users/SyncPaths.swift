// SPDX-License-Identifier: Apache-2.0

// Where an app's files are (P3 A).

import RealmText

/// The paths of the files of an app's client.
package struct SyncPaths: Hashable, Sendable {
  /// The longest name of a file on common file systems.
  private static let nameByteCountMax = 255
  /// The longest suffix of a realm's name: lock files, management folders, fresh copies.
  private static let suffixByteCountMax = 24

  /// The folder that has the folder `mongodb-realm`.
  package let base: String
  /// `<base>/mongodb-realm/<app id>`.
  package let directory: String

  package init(base: String, app id: String) {
    self.base = base
    directory = base + "/mongodb-realm/" + Self.escaped(id)
  }

  /// The file of users.
  package var users: String { directory + "/server-utility/metadata/sync_metadata.realm" }

  /// The folders of the file of users, each within the one before, for the owner alone.
  package var privateFolders: [String] {
    [directory + "/server-utility", directory + "/server-utility/metadata"]
  }

  /// The folder of the files that a reset put aside.
  package var recoveredRealms: String { directory + "/recovered-realms" }

  /// The place of a file that a reset puts aside.
  ///
  /// - Parameters:
  ///   - time: The time of the reset, as part of a name.
  ///   - random: What makes the name the only one of its time.
  package func recoveredRealm(time: String, random: UInt32) -> String {
    let digits = String(random, radix: 16)
    let suffix = String(repeating: "0", count: 8 - digits.count) + digits
    return recoveredRealms + "/recovered_realm-\(time)-\(suffix)"
  }

  /// Whether a server's id of a user can be the name of a folder: one to 128 letters, digits and
  /// `-._~`, without a point at the beginning.
  package static func isUserID(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count) && !id.hasPrefix(".") && PercentText.encoded(id) == id
  }

  /// The file of a user's realm.
  ///
  /// - Parameter partition: The text of the partition's name; nil in flexible mode.
  package func realm(user id: String, partition: String?) -> String {
    var name = Self.escaped(partition ?? "flx_sync_default")
    if name.utf8.count + ".realm".utf8.count + Self.suffixByteCountMax > Self.nameByteCountMax {
      var hasher = DigestHasher(0)
      hasher.add(name)
      let digest = hasher.digest
      name = UUIDBits(high: digest.high, low: digest.low).text
    }
    return "\(directory)/\(Self.escaped(id))/\(name).realm"
  }

  /// The files that a former SDK may have made for a user's realm: as `realm(user:partition:)`, and
  /// with the name of the partition as it is.
  package func formerRealms(user id: String, partition: String?) -> [String] {
    var paths = [realm(user: id, partition: partition)]
    if let partition, !partition.contains("/") {
      paths.append("\(directory)/\(Self.escaped(id))/\(partition).realm")
    }
    return paths
  }

  /// A name of a file or folder; never a path to another folder.
  static func escaped(_ text: String) -> String {
    if text == "." || text == ".." { return text.replacing(".", with: "%2E") }
    return PercentText.encoded(text)
  }
}

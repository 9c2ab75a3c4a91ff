// SPDX-License-Identifier: Apache-2.0

// Mails that wait in a folder, read as a program of an operator does.

#if Server
import Foundation
import RealmFormats
import RealmTestSupport
import Testing

/// The folder with the mails of an app.
struct Outbox {
  let path: String

  init(_ server: RunningServer) {
    path = server.directory.path + "/data/apps/\(server.app)/outbox"
  }

  /// Takes the only mail to an address.
  func take(_ address: String) throws -> (token: String, id: String) {
    var found: [(token: String, id: String)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where name.hasSuffix(".json") {
      let file = "\(path)/\(name)"
      let mail = try JSONParser.parse(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
      guard mail["email"]?.string == address else { continue }
      found.append((mail["token"]?.string ?? "", mail["tokenId"]?.string ?? ""))
      try FileManager.default.removeItem(atPath: file)
    }
    try #require(found.count == 1, "\(found.count) mails to \(address)")
    return found[0]
  }
}
#endif

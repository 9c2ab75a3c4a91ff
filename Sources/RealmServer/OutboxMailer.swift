// SPDX-License-Identifier: Apache-2.0

// Mails of an app, sent by a program of its operator.

#if Server
import Foundation
import RealmServerEngine
import RealmFormats

/// Puts mails into a folder, as JSON files for the server's user alone.
struct OutboxMailer: AccountMailer {
  let folder: String

  func deliver(_ mail: AccountMail) async throws {
    let json: JSONValue = [
      "purpose": .string(mail.purpose.rawValue), "email": .string(mail.address),
      "token": .string(mail.token), "tokenId": .string(mail.tokenID),
    ]
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try DurableFile.write(JSONWriter.bytes(json), to: "\(folder)/\(mail.tokenID).json")
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0

// Mails of an app as files, sent by a program of its operator.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmFormats

/// Puts mails into a folder, as JSON files for the server's user alone.
struct OutboxMailer {
  let folder: String

  func deliver(_ mail: AccountMail, by settings: MailSettings) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try DurableFile.write(
      JSONWriter.bytes(mail.json(by: settings)), to: "\(folder)/\(mail.tokenID).json")
  }
}

extension AccountMail {
  /// The mail for a program that sends it.
  func json(by settings: MailSettings) -> JSONValue {
    var members = [
      JSONMember("purpose", .string(purpose.rawValue)), JSONMember("email", .string(address)),
      JSONMember("token", .string(token)), JSONMember("tokenId", .string(tokenID)),
    ]
    if let link = link(by: settings) {
      members += [
        JSONMember("link", .string(link)),
        JSONMember("subject", .string(subject(by: settings))),
        JSONMember("text", .string(text(by: settings))),
      ]
    }
    return .object(members)
  }
}
#endif

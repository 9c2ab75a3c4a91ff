// SPDX-License-Identifier: Apache-2.0

// The messages of a connection between two servers. The edge, which has the sockets of clients,
// makes the connection; the owner of realms answers.
//
// The first message of each side is a `NodeHello`. Sessions and calls have numbers of the edge's.

#if Server
import RealmServerEngine
import RealmSyncProtocol

/// A message between servers.
enum NodeMessage: Hashable, Sendable {
  // By the edge:

  /// A session begins, under a number that no other one of the connection has.
  case begin(session: UInt64, NodeSession)
  /// A session has one request under way at most.
  case request(session: UInt64, ServerStoreRequest)
  /// The session has ended; a request may be under way still.
  case end(session: UInt64)
  /// Nothing of the session follows.
  case close(session: UInt64)
  case call(number: UInt64, NodeCall)

  // By the owner:

  case reply(session: UInt64, ServerStoreReply)
  case event(session: UInt64, ServerSessionEvent)
  case answer(number: UInt64, Result<NodeAnswer, DocumentError>)

  // By both:

  /// A sign of life.
  case ping

  /// The numbers of the messages on the wire.
  enum Tag: UInt8 {
    case begin = 1
    case request
    case end
    case close
    case call
    case reply
    case event
    case answer
    case ping
  }

  var bytes: [UInt8] {
    var writer = PackedWriter()
    func begin(_ tag: Tag, _ number: UInt64) {
      writer.append([tag.rawValue])
      writer.write(number)
    }
    switch self {
    case .begin(let session, let opening):
      begin(.begin, session)
      writer.write(opening)
    case .request(let session, let request):
      begin(.request, session)
      writer.write(request)
    case .end(let session): begin(.end, session)
    case .close(let session): begin(.close, session)
    case .call(let number, let call):
      begin(.call, number)
      writer.write(call)
    case .reply(let session, let reply):
      begin(.reply, session)
      writer.write(reply)
    case .event(let session, let event):
      begin(.event, session)
      writer.write(event)
    case .answer(let number, let answer):
      begin(.answer, number)
      writer.write(answer)
    case .ping: writer.append([Tag.ping.rawValue])
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(PackedBytesError) {
    var reader = PackedReader(bytes)
    let first = try reader.byte()
    guard let tag = Tag(rawValue: first) else {
      throw PackedBytesError("there is no message \(first)")
    }
    switch tag {
    case .begin: self = .begin(session: try reader.number(), try reader.session())
    case .request: self = .request(session: try reader.number(), try reader.request())
    case .end: self = .end(session: try reader.number())
    case .close: self = .close(session: try reader.number())
    case .call: self = .call(number: try reader.number(), try reader.call())
    case .reply: self = .reply(session: try reader.number(), try reader.reply())
    case .event: self = .event(session: try reader.number(), try reader.event())
    case .answer: self = .answer(number: try reader.number(), try reader.answer())
    case .ping: self = .ping
    }
    try reader.finish()
  }
}

/// The first message of each side of a connection between servers.
///
/// Bytes after the name are ignored. A later program that sends more kinds of messages says so
/// there, and sends them to servers that say the same.
struct NodeHello: Hashable, Sendable {
  private static let magic = Array("openrealm-node".utf8)
  /// The protocol of this program. Other servers have to have the same.
  static let version: UInt64 = 2

  var version = Self.version
  /// The name of the server.
  var node: String

  var bytes: [UInt8] {
    var writer = PackedWriter()
    writer.append(Self.magic)
    writer.write(version)
    writer.write(node)
    return writer.bytes
  }

  init(node: String) { self.node = node }

  init(_ bytes: [UInt8]) throws(PackedBytesError) {
    guard bytes.starts(with: Self.magic) else {
      throw PackedBytesError("the other side is no server of realms")
    }
    var reader = PackedReader(bytes, from: Self.magic.count)
    version = try reader.number()
    guard version == Self.version else {
      throw PackedBytesError(
        "the other server speaks version \(version) of the protocol between servers, and this one "
          + "version \(Self.version)")
    }
    node = try reader.text()
  }
}
#endif

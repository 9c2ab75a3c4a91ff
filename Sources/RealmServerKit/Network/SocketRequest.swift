// SPDX-License-Identifier: Apache-2.0

// A request for a WebSocket.

#if Server
import NIOHTTP1
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// An accepted handshake.
struct SocketRequest: Sendable {
  let app: String
  let token: String
  let version: ProtocolVersion
  /// The name of the version in the answer.
  let protocolName: String
  /// The client's address, as limits count it.
  var address = ""

  /// Reads the head of a request; nil if it is no handshake for an app's socket, or offers no
  /// protocol of the server.
  init?(_ head: HTTPRequestHead) {
    let request = APIRequest("GET", target: head.uri)
    let names = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 7, names[..<5].elementsEqual(["", "api", "client", "v2.0", "app"]),
      names[6] == "realm-sync",
      let answer = ProtocolVersion.answer(
        to: head.headers["Sec-WebSocket-Protocol"].joined(separator: ","))
    else { return nil }
    app = String(names[5])
    (version, protocolName) = answer
    token = request.parameter("baas_at") ?? ""
  }
}
#endif

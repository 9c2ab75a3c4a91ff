// SPDX-License-Identifier: Apache-2.0

// The certificates of servers to which a proxy leads.
//
// NIOSSL accepts a certificate with the server's name, and also one with the address of the
// connection's peer. Through a proxy the peer is the proxy: with a certificate for its own address,
// which certificate authorities issue, it could read what the client and the server say.

#if Sync
import NIOCore
import NIOSSL

/// The server's certificate is valid for the address of the proxy.
struct ProxyCertificateError: Error, CustomStringConvertible {
  let description = "the certificate is one for the address of the proxy"

  /// Throws if a certificate is valid for the address of the peer of a channel.
  static func check(
    _ certificate: NIOSSLCertificate?, of channel: any Channel
  ) throws(ProxyCertificateError) {
    guard let certificate, let peer = channel.remoteAddress?.ipAddress else { return }
    for name in certificate._subjectAlternativeNames() where name.nameType == .ipAddress {
      let address = try? SocketAddress(
        packedIPAddress: ByteBuffer(bytes: name.contents), port: 0)
      if address?.ipAddress == peer { throw ProxyCertificateError() }
    }
  }

  /// Checks the certificate of an encrypted connection, and closes a refused one. Where the system
  /// itself encrypts, it compares names alone.
  static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      guard
        let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
      else { return }
      do {
        try check(handler.peerCertificate, of: channel)
      } catch {
        channel.close(promise: nil)
        throw error
      }
    }
  }
}
#endif

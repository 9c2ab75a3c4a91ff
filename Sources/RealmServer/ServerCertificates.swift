// SPDX-License-Identifier: Apache-2.0

// The certificates of the server, renewed while it runs.

#if Server
import Foundation
import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import ServiceLifecycle

/// The certificate and key of new connections.
final class ServerCertificates: Service {
  /// How often the files are looked at.
  private static let interval = Duration.seconds(60)

  private let certificate: String
  private let key: String
  private let logger: Logger
  private let state: NIOLockedValueBox<(context: NIOSSLContext, dates: [Date?])>

  init(certificate: String, key: String, logger: Logger) throws(ServerFailure) {
    self.certificate = certificate
    self.key = key
    self.logger = logger
    state = NIOLockedValueBox(
      (try Self.context(certificate, key), Self.dates([certificate, key])))
  }

  /// The TLS settings of new connections.
  var context: NIOSSLContext { state.withLockedValue { $0.context } }

  /// Reads the files again. If they cannot be used, the old ones stay.
  func reload() {
    let dates = Self.dates([certificate, key])
    do throws(ServerFailure) {
      let context = try Self.context(certificate, key)
      state.withLockedValue { $0 = (context, dates) }
      logger.notice("The certificate \(certificate) was read again")
    } catch {
      state.withLockedValue { $0.dates = dates }
      logger.error("\(error) The old one stays in use.")
    }
  }

  /// Reads the files again if they have changed.
  func reloadIfChanged() {
    let dates = Self.dates([certificate, key])
    if state.withLockedValue({ $0.dates != dates }) { reload() }
  }

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: Self.interval)
        self.reloadIfChanged()
      }
    }
  }

  private static func dates(_ paths: [String]) -> [Date?] {
    paths.map {
      (try? FileManager.default.attributesOfItem(atPath: $0))?[.modificationDate] as? Date
    }
  }

  private static func context(
    _ certificate: String, _ key: String
  ) throws(ServerFailure) -> NIOSSLContext {
    do {
      var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificate)
          .map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      tls.minimumTLSVersion = .tlsv12
      return try NIOSSLContext(configuration: tls)
    } catch {
      throw ServerFailure(
        "The certificate \(certificate) with the key \(key) cannot be used: "
          + "\(ServerFailure.text(error)). Both have to be in PEM form.")
    }
  }
}

/// Connections with the certificate of their beginning.
struct SecuredChannel: ServerChildChannel {
  typealias Value = SyncChannel.Value

  let certificates: ServerCertificates
  let base: SyncChannel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        NIOSSLServerHandler(context: certificates.context))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}
#endif

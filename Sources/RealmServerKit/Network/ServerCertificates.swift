// SPDX-License-Identifier: Apache-2.0

// The certificates of the server, renewed while it runs.
//
// Invariants:
// 1. Files that cannot be used, and a certificate that is not valid at the time, never replace one
//    that is.

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
  private let now: @Sendable () -> Date
  private let state: NIOLockedValueBox<State>

  private struct State {
    var loaded: Loaded
    /// When the files were changed.
    var dates: [Date?]
    /// The last time when the operator was warned of the end of the certificate.
    var lastWarning: Date?
  }

  private struct Loaded {
    let context: NIOSSLContext
    let validity: CertificateValidity
  }

  /// Reads the files. A certificate that is not valid at the time is used, and logged: an operator
  /// who renews it needs no restart.
  ///
  /// - Parameter now: The time of the calendar.
  init(
    certificate: String, key: String, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(ServerFailure) {
    self.certificate = certificate
    self.key = key
    self.logger = logger
    self.now = now
    state = NIOLockedValueBox(
      State(
        loaded: try Self.load(certificate, key), dates: Self.dates([certificate, key])))
    warn()
  }

  /// The TLS settings of new connections.
  var context: NIOSSLContext { state.withLockedValue { $0.loaded.context } }

  /// When the certificate in use is not valid any more.
  var end: Date { state.withLockedValue { $0.loaded.validity.end } }

  /// Reads the files again. If they cannot be used, the old ones stay.
  ///
  /// - Returns: Why they cannot be used; nil if they can.
  @discardableResult
  func reload() -> ServerFailure? {
    let dates = Self.dates([certificate, key])
    do throws(ServerFailure) {
      let loaded = try Self.load(certificate, key)
      let isOldValid = state.withLockedValue { $0.loaded.validity.problem(at: now()) == nil }
      if isOldValid, let problem = loaded.validity.problem(at: now()) {
        throw ServerFailure("The certificate \(certificate) \(problem).")
      }
      state.withLockedValue { $0 = State(loaded: loaded, dates: dates) }
      logger.notice("The certificate \(certificate) was read again")
      warn()
      return nil
    } catch {
      state.withLockedValue { $0.dates = dates }
      logger.error("\(error) The old one stays in use.")
      return error
    }
  }

  /// Says once a day if the certificate is not valid, or will soon not be.
  func warn() {
    let now = now()
    let validity = state.withLockedValue { state -> CertificateValidity? in
      guard state.loaded.validity.isNotable(at: now),
        state.lastWarning.map({ now.timeIntervalSince($0) >= CertificateValidity.day }) ?? true
      else { return nil }
      state.lastWarning = now
      return state.loaded.validity
    }
    guard let validity else { return }
    if let problem = validity.problem(at: now) {
      logger.error(
        """
        The certificate \(certificate) \(problem): devices refuse it. Put a valid one in its \
        place; it is read within a minute, or at SIGHUP
        """)
    } else {
      logger.warning(
        "The certificate \(certificate) is valid until \(CertificateValidity.text(validity.end))")
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
        self.warn()
      }
    }
  }

  private static func dates(_ paths: [String]) -> [Date?] {
    paths.map {
      (try? FileManager.default.attributesOfItem(atPath: $0))?[.modificationDate] as? Date
    }
  }

  private static func load(
    _ certificate: String, _ key: String
  ) throws(ServerFailure) -> Loaded {
    let chain = try PEMFile(certificate, option: "--tls-cert").certificates()
    let privateKey = try PEMFile(key, option: "--tls-key").key()
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    tls.minimumTLSVersion = .tlsv12
    do {
      return Loaded(
        context: try NIOSSLContext(configuration: tls), validity: CertificateValidity(of: chain[0]))
    } catch NIOSSLError.failedToLoadPrivateKey {
      // The key was read before: it is another certificate's.
      throw ServerFailure(
        "The key \(key) is not that of the first certificate in \(certificate). Name the key that "
          + "the certificate was made with; the server's own certificate comes first in its file.")
    } catch {
      throw ServerFailure(
        "The certificate \(certificate) with the key \(key) cannot be used: "
          + "\(ServerFailure.text(error)). Name others with --tls-cert and --tls-key.")
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

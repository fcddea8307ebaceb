"""Pages in headless Chromium, driven by the DevTools protocol over pipes, without port or library."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 90  # for an answer


class Failure(Exception):
    pass


class Browser:
    """One page at a time, in a browser of its own. It records the console messages and the requested
    addresses of every page, and blocks all addresses but the page's own."""

    def __init__(self):
        chromium = shutil.which('chromium')
        if chromium is None:
            raise Failure('there is no chromium')
        self.folder = tempfile.TemporaryDirectory()
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # the protocol is on descriptors 3 and 4
        shell = f'exec "$@" 3<&{commands} 4>&{answers}'
        options = ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run',
                   '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars',
                   f'--user-data-dir={self.folder.name}/chromium', 'about:blank']
        with open(os.path.join(self.folder.name, 'log'), 'w') as log:
            self.process = subprocess.Popen(['bash', '-c', shell, 'bash', chromium, *options],
                                            stdout=log, stderr=log, pass_fds=(commands, answers))
        os.close(commands)
        os.close(answers)
        self.number, self.received, self.session, self.events = 0, b'', None, []
        page = self._page()
        self.session = self.call('Target.attachToTarget', targetId=page, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call('Browser.close')
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def _page(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for target in self.call('Target.getTargets')['targetInfos']:
                if target['type'] == 'page':
                    return target['targetId']
            time.sleep(0.1)
        raise Failure('Chromium opens no page')

    def _message(self, end):
        while b'\0' not in self.received:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, end - time.monotonic()))
            part = os.read(self.answers, 1 << 20) if ready else b''
            if not part:
                raise Failure('Chromium does not answer')
            self.received += part
        message, _, self.received = self.received.partition(b'\0')
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            command['sessionId'] = self.session
        os.write(self.commands, json.dumps(command).encode() + b'\0')
        end = time.monotonic() + SECONDS
        while True:
            message = self._message(end)
            if message.get('id') == self.number:
                if 'error' in message:
                    raise Failure(f'{method}: {message["error"]}')
                return message['result']
            self.events.append(message)

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in result:
            raise Failure(f'the page: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def open(self, path, width=1280, height=900, mode='light', scale=1):
        """Open a file and wait until it is drawn."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)
        self.call('Emulation.setEmulatedMedia',
                  features=[{'name': 'prefers-color-scheme', 'value': mode},
                            {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        self.address = pathlib.Path(path).resolve().as_uri()
        self.call('Network.setBlockedURLs', urls=['http://*', 'https://*', 'ws://*', 'wss://*'])
        self.events.clear()
        error = self.call('Page.navigate', url=self.address).get('errorText')
        if error:
            raise Failure(f'{path}: {error}')
        end = time.monotonic() + SECONDS
        while self.evaluate('location.href + document.readyState') != self.address + 'complete':
            if time.monotonic() > end:
                raise Failure(f'{path}: not loaded within {SECONDS} s')
            time.sleep(0.05)
        self.settle()

    def settle(self):
        """Wait for two frames, after which pending changes are drawn."""
        self.evaluate('new Promise((done) => requestAnimationFrame(() => '
                      'requestAnimationFrame(() => done(true))))')

    def console(self):
        """Console messages of the page since it was opened, including errors and policy violations."""
        texts = []
        for event in self.events:
            parameters = event.get('params', {})
            if event.get('method') == 'Runtime.consoleAPICalled':
                texts.append(str([a.get('value') for a in parameters['args']]))
            elif event.get('method') == 'Runtime.exceptionThrown':
                texts.append(str(parameters['exceptionDetails']))
            elif event.get('method') == 'Log.entryAdded':
                texts.append(parameters['entry']['text'])
        return texts

    def requests(self):
        """Addresses that the page requested, other than its own and embedded data."""
        urls = [event['params']['request']['url'] for event in self.events
                if event.get('method') == 'Network.requestWillBeSent']
        return [url for url in urls if url != self.address and not url.startswith('data:')]

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def picture(self, whole=True):
        """The page as PNG: the whole page, or the visible part."""
        return base64.b64decode(
            self.call('Page.captureScreenshot', captureBeyondViewport=whole)['data'])

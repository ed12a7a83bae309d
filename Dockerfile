# The server in a container: `docker build -t recollect .`, then docs/operating/running.md.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

# The guide, which the server shows at /guide.
FROM ${PYTHON_IMAGE} AS guide
WORKDIR /src
COPY requirements/docs.txt requirements/docs.txt
RUN python -m venv /opt/docs \
 && /opt/docs/bin/pip install --no-cache-dir --require-hashes -r requirements/docs.txt
COPY zensical.toml ./
COPY docs docs
RUN mkdir -p src/recollect && /opt/docs/bin/zensical build --strict

# The program with everything it needs, and the weights.
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
ENV RECOLLECT_MODELS=/opt/recollect/models
RUN python -m venv /opt/recollect
COPY requirements/runtime.txt requirements/build.txt requirements/
RUN /opt/recollect/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt \
 && python -m venv /opt/building \
 && /opt/building/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY --from=guide /src/src/recollect/guide src/recollect/guide
RUN /opt/building/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /src/wheels . \
 && /opt/recollect/bin/pip install --no-cache-dir --no-deps /src/wheels/*.whl \
 && /opt/recollect/bin/recollect models install \
 && /opt/recollect/bin/python -m compileall -q /opt/recollect/lib

# What runs: nothing is written but the data, and not as root.
FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin recollect \
 && install -d -o recollect -g recollect -m 0700 /data
COPY --from=build /opt/recollect /opt/recollect
ENV PATH=/opt/recollect/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    RECOLLECT_DATA=/data \
    RECOLLECT_HOST=0.0.0.0 \
    RECOLLECT_MODELS=/opt/recollect/models
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/ready', timeout=4)"]
ENTRYPOINT ["recollect"]
CMD ["serve"]

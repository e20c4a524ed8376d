import { describe, expect, it } from 'vitest';
import { isOrdinaryValue } from './ordinary-values.js';

describe('isOrdinaryValue', () => {
  it.each([
    '',
    '/home/me/.kube/config',
    '~/.kube/config',
    '$HOME/.kube/config',
    './kube/config',
    'C:\\Users\\me\\.kube\\config',
    'kube/prod-cluster.yaml',
    'config.json',
    '/home/me/.kube/prod-cluster-2024-eu-west-1.yaml',
    '/home/me/.kube/config:/home/me/.kube/other-config-2024.yaml',
    'C:\\kube\\a;C:\\kube\\b',
    '/tmp/portolan-Ab12Cd/kubeconfig',
    'https://api.example.com/v1',
    'http://localhost:3000',
    'production',
    'debug',
    'true',
    '8080',
  ])('is true for %j', (value) => {
    expect(isOrdinaryValue(value)).toBe(true);
  });

  it.each([
    'hunter2',
    'correcthorse',
    'correct horse battery staple',
    '123456',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    '/9j/4AAQSkZJRgABAQEAYABgAAD2wBDAAgGBgcGBQgHBwcJCQgKDBQN',
    'ab12cd34ef56/gh78ij90kl12.mn34',
    'https://user:pass@example.com',
    'https://example.com/?key=abc',
    'https://hooks.example.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    'https://example.com/hook/a1b2c3d4e5f6',
    'postgres://u:p@db/x',
    '/home/me/keys/9f86d081884c7d659a2feaa0c55ad015',
    '/home/me/a:s3cr3t-0f-m1ne',
  ])('is false for %j', (value) => {
    expect(isOrdinaryValue(value)).toBe(false);
  });
});
